// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// RedisGuards makes a mutex of redsync or of rueidislock: KIND is the library's name. Their
// layouts are their own, so they are rivals of ours and not peers.
type RedisGuards struct {
	redsync *redsync.Redsync
	locker  rueidislock.Locker
}

// NewRedisGuards connects to one server. Both libraries have their defaults, except that redsync
// does not give up and that rueidislock takes one key, as a single server wants it.
func NewRedisGuards(address string) (*RedisGuards, error) {
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: rueidis.ClientOption{InitAddress: []string{address}},
		KeyMajority:  1,
	})
	if err != nil {
		return nil, err
	}
	client := redis.NewClient(&redis.Options{Addr: address})
	return &RedisGuards{redsync.New(goredis.NewPool(client)), locker}, nil
}

func (g *RedisGuards) Of(kind, name string) (Guard, error) {
	switch kind {
	case "redsync":
		return &redsyncMutex{g.redsync.NewMutex(name, redsync.WithTries(math.MaxInt))}, nil
	case "rueidislock":
		return &rueidisMutex{g.locker, name, nil}, nil
	}
	return nil, fmt.Errorf("no lock is called %s", kind)
}

type redsyncMutex struct{ mutex *redsync.Mutex }

func (m *redsyncMutex) Lock(wait time.Duration) error {
	return within(wait, m.mutex.LockContext)
}

func (m *redsyncMutex) Unlock() error {
	_, err := m.mutex.Unlock()
	return err
}

func (m *redsyncMutex) Key() string  { return m.mutex.Name() }
func (m *redsyncMutex) Close() error { return nil }

type rueidisMutex struct {
	locker  rueidislock.Locker
	name    string
	release func()
}

// Now and then a caller of rueidislock is not woken although the key is gone, so it asks again
// after a second. The context lives for as long as the lock is held.
func (m *rueidisMutex) Lock(wait time.Duration) error {
	patience := wait
	if wait < 0 {
		patience = time.Second
	}
	for {
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(max(patience, shortest), cancel)
		_, release, err := m.locker.WithContext(ctx, m.name)
		if err == nil && timer.Stop() {
			m.release = func() { release(); cancel() }
			return nil
		}
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if wait >= 0 {
			return errTimeout
		}
	}
}

func (m *rueidisMutex) Unlock() error {
	m.release()
	return nil
}

func (m *rueidisMutex) Key() string  { return m.name }
func (m *rueidisMutex) Close() error { return nil }
