// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Crowd is many goroutines that wait for one lock, which is passed from one to the next.
type Crowd struct {
	guards   *Guards
	first    Guard
	mutex    sync.Mutex // for what follows
	left     int64
	granted  int64
	handover Histogram
	failed   error
	all      chan struct{}
	released atomic.Int64
}

// gather KIND NAME WAITERS: one takes the lock, and WAITERS goroutines wait for it.
func (c *Crowd) gather(_ string, words []string) (string, error) {
	guard, err := c.guards.Of(words[0], words[1])
	if err != nil {
		return "", err
	}
	if err := guard.Lock(-1); err != nil {
		return "", err
	}
	c.first = guard
	c.left = number(words[2])
	c.all = make(chan struct{})
	for range c.left {
		guard, err := c.guards.Of(words[0], words[1])
		if err != nil {
			return "", err
		}
		go func() { c.done(c.pass(guard)) }()
	}
	return "", nil
}

// serve MS: gives the lock to the first waiter. The answer, when all have had it or the time is
// over, is how many have, and how long the hand-overs took, as a Histogram tells it.
func (c *Crowd) serve(_ string, words []string) (string, error) {
	if c.first == nil {
		return "", errors.New("nothing was gathered")
	}
	c.released.Store(now())
	if err := c.first.Unlock(); err != nil {
		return "", err
	}
	select {
	case <-c.all:
	case <-time.After(wait(words[0])):
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return fmt.Sprint(c.granted, " ", &c.handover), c.failed
}

// pass waits for the lock once, and passes it on.
func (c *Crowd) pass(guard Guard) error {
	defer guard.Close()
	if err := guard.Lock(-1); err != nil {
		return err
	}
	granted := now()
	c.mutex.Lock()
	c.granted++
	c.handover.Add(granted - c.released.Load())
	c.mutex.Unlock()
	c.released.Store(now())
	return guard.Unlock()
}

func (c *Crowd) done(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err != nil {
		c.failed = err
	}
	if c.left--; c.left == 0 {
		close(c.all)
	}
}
