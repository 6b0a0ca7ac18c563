// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
)

// ZookeeperGuards makes a zk.Lock, called Lock. Its wait cannot be ended, so each has a session of
// its own: a waiter that gives up leaves the queue when the session is closed.
type ZookeeperGuards struct {
	hosts []string
	lease time.Duration
}

func (g *ZookeeperGuards) Of(kind, name string) (Guard, error) {
	if kind != "Lock" {
		return nil, fmt.Errorf("no lock is called %s", kind)
	}
	conn, _, err := zk.Connect(g.hosts, g.lease, zk.WithLogger(silence{}))
	if err != nil {
		return nil, err
	}
	return &zookeeperLock{conn, zk.NewLock(conn, "/"+name, zk.WorldACL(zk.PermAll))}, nil
}

type silence struct{}

func (silence) Printf(string, ...any) {}

type zookeeperLock struct {
	conn *zk.Conn
	lock *zk.Lock
}

func (l *zookeeperLock) Lock(wait time.Duration) error { return abandon(wait, l.lock.Lock) }
func (l *zookeeperLock) Unlock() error                 { return l.lock.Unlock() }
func (l *zookeeperLock) Key() string                   { return "" }
func (l *zookeeperLock) Close() error                  { l.conn.Close(); return nil }
