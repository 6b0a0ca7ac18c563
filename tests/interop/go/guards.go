// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"
)

// Guard is a lock of any kind.
type Guard interface {
	// Returns errTimeout when the time has passed. A negative wait has no end.
	Lock(wait time.Duration) error
	Unlock() error
	Key() string
	Close() error
}

// Guards makes a guard from the library's word for its kind and from its name.
type Guards struct {
	Of func(kind, name string) (Guard, error)
}

// EtcdGuards makes a concurrency.Mutex, a concurrency.Election, or one side of a recipe.RWMutex,
// called ReadLock and WriteLock. To etcd a session is an owner, so each guard has one of its own.
type EtcdGuards struct {
	client *clientv3.Client
	lease  time.Duration
}

func (g *EtcdGuards) Session() (*concurrency.Session, error) {
	seconds := int((g.lease + time.Second - 1) / time.Second)
	return concurrency.NewSession(g.client, concurrency.WithTTL(seconds))
}

func (g *EtcdGuards) Of(kind, name string) (Guard, error) {
	session, err := g.Session()
	if err != nil {
		return nil, err
	}
	switch kind {
	case "Mutex":
		return &mutex{session, concurrency.NewMutex(session, name)}, nil
	case "Election":
		return &election{session, concurrency.NewElection(session, name)}, nil
	case "ReadLock":
		m := recipe.NewRWMutex(session, name)
		return &side{session, m.RLock, m.RUnlock}, nil
	case "WriteLock":
		m := recipe.NewRWMutex(session, name)
		return &side{session, m.Lock, m.Unlock}, nil
	}
	return nil, fmt.Errorf("no lock is called %s", kind)
}

// A caller with a zero wait still has to wait for the server's answer.
const shortest = 100 * time.Millisecond

// within runs a call that can be told when to end.
func within(wait time.Duration, call func(context.Context) error) error {
	if wait < 0 {
		return call(context.Background())
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(wait, shortest))
	defer cancel()
	err := call(ctx)
	if err != nil && ctx.Err() != nil {
		return errTimeout
	}
	return err
}

// abandon runs a call that cannot be told when to end.
func abandon(wait time.Duration, call func() error) error {
	if wait < 0 {
		return call()
	}
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(max(wait, shortest)):
		return errTimeout
	}
}

type mutex struct {
	*concurrency.Session
	*concurrency.Mutex
}

func (m *mutex) Lock(wait time.Duration) error {
	if wait != 0 {
		return within(wait, m.Mutex.Lock)
	}
	err := m.TryLock(context.Background())
	if errors.Is(err, concurrency.ErrLocked) {
		return errTimeout
	}
	return err
}

func (m *mutex) Unlock() error { return m.Mutex.Unlock(context.Background()) }

// Its proposal is "go".
type election struct {
	*concurrency.Session
	*concurrency.Election
}

func (e *election) Lock(wait time.Duration) error {
	return within(wait, func(ctx context.Context) error { return e.Campaign(ctx, "go") })
}

func (e *election) Unlock() error { return e.Resign(context.Background()) }

// A waiter that gives up leaves the queue when its session is closed.
type side struct {
	*concurrency.Session
	lock   func() error
	unlock func() error
}

func (s *side) Lock(wait time.Duration) error { return abandon(wait, s.lock) }
func (s *side) Unlock() error                 { return s.unlock() }
func (s *side) Key() string                   { return "" }
