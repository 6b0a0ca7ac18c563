// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Lines drives a peer. The words of a line are separated by tabs:
//
//	THREAD VERB WORD...                  a command
//	THREAD ok VALUE BEGAN ENDED          its answer; the times are those of
//	THREAD timeout VALUE BEGAN ENDED     CLOCK_MONOTONIC in nanoseconds
//	THREAD error SENTENCE BEGAN ENDED
//
// A thread does its commands one after another; threads do not wait for each other. The
// program prints "ready" first and ends with its input; its locks then end as after a crash.
type Lines struct {
	verbs   *Verbs
	threads map[string]chan []string
	out     sync.Mutex
}

func NewLines(verbs *Verbs) *Lines {
	return &Lines{verbs: verbs, threads: map[string]chan []string{}}
}

func (l *Lines) Serve() {
	l.say("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Split(in.Text(), "\t")
		thread, there := l.threads[words[0]]
		if !there {
			thread = make(chan []string, 100)
			l.threads[words[0]] = thread
			go func() {
				for words := range thread {
					l.obey(words)
				}
			}()
		}
		thread <- words
	}
}

func (l *Lines) obey(words []string) {
	began := now()
	said := "ok"
	value, err := l.verbs.Run(words[0], words[1], words[2:])
	if errors.Is(err, errTimeout) {
		said = "timeout"
	} else if err != nil {
		said = "error"
		value = strings.Join(strings.Fields(err.Error()), " ")
	}
	ended := now()
	l.say(strings.Join([]string{words[0], said, value, fmt.Sprint(began), fmt.Sprint(ended)}, "\t"))
}

func (l *Lines) say(line string) {
	l.out.Lock()
	defer l.out.Unlock()
	fmt.Println(line)
}

func now() int64 {
	var time unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &time); err != nil {
		panic(err)
	}
	return time.Nano()
}
