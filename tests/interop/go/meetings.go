// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"
)

// The verbs of the recipes' barriers.
//
//	shut NAME                      a recipe.Barrier
//	open NAME
//	await NAME WAIT                until it is open
//	enter NAME PARTIES WAIT        a recipe.DoubleBarrier, with this thread as a party
//	leave NAME WAIT
func addMeetings(verbs *Verbs, guards *EtcdGuards) {
	m := &meetings{guards: guards, entered: map[string]party{}}
	barrier := func(name string) *recipe.Barrier { return recipe.NewBarrier(guards.client, name) }
	verbs.Add("shut", func(_ string, words []string) (string, error) {
		return "", barrier(words[0]).Hold()
	})
	verbs.Add("open", func(_ string, words []string) (string, error) {
		return "", barrier(words[0]).Release()
	})
	verbs.Add("await", func(_ string, words []string) (string, error) {
		return "", abandon(wait(words[1]), barrier(words[0]).Wait)
	})
	verbs.Add("enter", m.enter)
	verbs.Add("leave", m.leave)
}

type party struct {
	*concurrency.Session
	*recipe.DoubleBarrier
}

type meetings struct {
	guards  *EtcdGuards
	mutex   sync.Mutex
	entered map[string]party
}

func (m *meetings) enter(thread string, words []string) (string, error) {
	session, err := m.guards.Session()
	if err != nil {
		return "", err
	}
	one := party{session, recipe.NewDoubleBarrier(session, words[0], int(number(words[1])))}
	if err := abandon(wait(words[2]), one.Enter); err != nil {
		session.Close()
		return "", err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.entered[thread+"\t"+words[0]] = one
	return "", nil
}

func (m *meetings) leave(thread string, words []string) (string, error) {
	m.mutex.Lock()
	one, there := m.entered[thread+"\t"+words[0]]
	delete(m.entered, thread+"\t"+words[0])
	m.mutex.Unlock()
	if !there {
		return "", errors.New("it has not entered")
	}
	defer one.Close()
	return "", abandon(wait(words[1]), one.Leave)
}
