// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const patience = 120 * time.Second

// contend KIND NAME SECTION FILE THREADS GRANTS: each thread gets in GRANTS times, and uses the
// number in FILE as SECTION says. The answer is how often all of them got in.
func (g *Guards) contend(_ string, words []string) (string, error) {
	section, err := sectionOf(words[2], words[3])
	if err != nil {
		return "", err
	}
	grants := number(words[5])
	caller := func(guard Guard) error {
		for range grants {
			if err := guard.Lock(patience); err != nil {
				return err
			}
			err := section()
			if err := guard.Unlock(); err != nil {
				return err
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	threads := number(words[4])
	err = g.together(threads, words[0], func(int64) string { return words[1] },
		func(_ int64, guard Guard) error { return caller(guard) })
	return fmt.Sprint(threads * grants), err
}

// storm KIND NAME THREADS MS SECTION: each thread locks and unlocks as fast as it can, all of them
// NAME, or, when that ends in "/", each its own name below it. A thread is busy for SECTION
// microseconds while it has the lock. The answer is how many grants there were, how many the
// unluckiest and the luckiest thread got, and how long they waited, as a Histogram tells it.
func (g *Guards) storm(_ string, words []string) (string, error) {
	name := func(i int64) string {
		if strings.HasSuffix(words[1], "/") {
			return words[1] + fmt.Sprint(i)
		}
		return words[1]
	}
	time := wait(words[3])
	section := number(words[4]) * 1000
	threads := number(words[2])
	grants := make([]int64, threads)
	waits := make([]Histogram, threads)
	err := g.together(threads, words[0], name, func(i int64, guard Guard) error {
		asked := now()
		for end := asked + time.Nanoseconds(); asked < end; grants[i]++ {
			if err := guard.Lock(-1); err != nil {
				return err
			}
			granted := now()
			waits[i].Add(granted - asked)
			for section > 0 && now() < granted+section {
			}
			if err := guard.Unlock(); err != nil {
				return err
			}
			asked = now()
		}
		return nil
	})
	var sum int64
	var all Histogram
	for i := range threads {
		sum += grants[i]
		all.Merge(&waits[i])
	}
	return fmt.Sprint(sum, slices.Min(grants), slices.Max(grants), &all), err
}

// handover KIND NAME ROUNDS HELD: one thread has the lock, another one waits for it, and after HELD
// ms it is given back. The answer is how long half of the grants took from then on, and 99 of 100,
// in ms.
func (g *Guards) handover(_ string, words []string) (string, error) {
	one, err := g.Of(words[0], words[1])
	if err != nil {
		return "", err
	}
	defer one.Close()
	other, err := g.Of(words[0], words[1])
	if err != nil {
		return "", err
	}
	defer other.Close()
	var all []int64
	for range number(words[2]) {
		if err := one.Lock(-1); err != nil {
			return "", err
		}
		granted := make(chan int64)
		go func() {
			err = other.Lock(-1)
			granted <- now()
		}()
		time.Sleep(wait(words[3]))
		released := now()
		if err := one.Unlock(); err != nil {
			return "", err
		}
		all = append(all, <-granted-released)
		if err := errors.Join(err, other.Unlock()); err != nil {
			return "", err
		}
	}
	slices.Sort(all)
	ms := func(i int) float64 { return float64(all[i]) / 1e6 }
	return fmt.Sprintf("%.3f %.3f", ms((len(all)-1)/2), ms((len(all)-1)*99/100)), nil
}

// together runs a number of callers, each with a guard of its own.
func (g *Guards) together(threads int64, kind string, name func(int64) string,
	caller func(int64, Guard) error) error {
	done := make(chan error, threads)
	for i := range threads {
		guard, err := g.Of(kind, name(i))
		if err != nil {
			return err
		}
		defer guard.Close()
		go func() { done <- caller(i, guard) }()
	}
	var failed error
	for range threads {
		if err := <-done; err != nil {
			failed = err
		}
	}
	return failed
}
