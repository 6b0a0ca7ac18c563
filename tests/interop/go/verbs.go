// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// The time has passed.
var errTimeout = errors.New("timeout")

// Verb returns the value of the answer.
type Verb func(thread string, words []string) (string, error)

// Verbs are those that every peer has. KIND is the library's word. Times are in ms, and a
// negative WAIT has no end. LEASE is ignored, because locks end with their session.
//
//	lock KIND NAME WAIT LEASE      its key, or "timeout" when the time has passed
//	unlock KIND NAME               the last grant of this thread
//	contend KIND NAME SECTION FILE THREADS GRANTS    see contend, and sectionOf
//	storm KIND NAME THREADS MS SECTION             see storm
//	handover KIND NAME ROUNDS HELD                 see handover
//	gather KIND NAME WAITERS, serve MS             see Crowd
type Verbs struct {
	guards *Guards
	verbs  map[string]Verb
	mutex  sync.Mutex
	held   map[string]Guard
}

func NewVerbs(guards *Guards) *Verbs {
	v := &Verbs{guards: guards, verbs: map[string]Verb{}, held: map[string]Guard{}}
	v.Add("lock", v.lock)
	v.Add("unlock", v.unlock)
	v.Add("contend", guards.contend)
	v.Add("storm", guards.storm)
	v.Add("handover", guards.handover)
	crowd := &Crowd{guards: guards}
	v.Add("gather", crowd.gather)
	v.Add("serve", crowd.serve)
	v.Add("proclaim", v.proclaim)
	return v
}

func (v *Verbs) Add(name string, verb Verb) { v.verbs[name] = verb }

func (v *Verbs) Run(thread, name string, words []string) (string, error) {
	verb, there := v.verbs[name]
	if !there {
		return "", fmt.Errorf("no verb is called %s", name)
	}
	return verb(thread, words)
}

func (v *Verbs) lock(thread string, words []string) (string, error) {
	guard, err := v.guards.Of(words[0], words[1])
	if err != nil {
		return "", err
	}
	if err := guard.Lock(wait(words[2])); err != nil {
		guard.Close()
		return "", err
	}
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.held[place(thread, words)] = guard
	return guard.Key(), nil
}

func (v *Verbs) unlock(thread string, words []string) (string, error) {
	v.mutex.Lock()
	guard, there := v.held[place(thread, words)]
	delete(v.held, place(thread, words))
	v.mutex.Unlock()
	if !there {
		return "", errors.New("it is not held")
	}
	defer guard.Close()
	return "", guard.Unlock()
}

func place(thread string, words []string) string {
	return thread + "\t" + words[0] + "\t" + words[1]
}

// A negative time means for ever.
func wait(ms string) time.Duration {
	return time.Duration(number(ms)) * time.Millisecond
}

// The text comes from a test, so it is a number.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}
