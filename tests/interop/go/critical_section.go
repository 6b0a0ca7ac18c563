// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sectionOf returns what a holder of the lock does; it fails when another holder is there that must
// not be. "add" reads the number in the file and writes it back, one larger, a moment later: if a
// lock lets two in, some additions are lost. "read" reads it twice and expects no change. A number
// is the most holders that there may be; they count themselves in the file.
func sectionOf(how, file string) (func() error, error) {
	tally, err := mapped(file)
	if err != nil {
		return nil, err
	}
	switch how {
	case "add":
		return func() error {
			seen := atomic.LoadInt64(tally)
			pause()
			atomic.StoreInt64(tally, seen+1)
			return nil
		}, nil
	case "read":
		return func() error {
			seen := atomic.LoadInt64(tally)
			pause()
			return require(atomic.LoadInt64(tally) == seen, "a writer was in beside a reader")
		}, nil
	}
	most, err := strconv.ParseInt(how, 10, 64)
	return func() error {
		inside := atomic.AddInt64(tally, 1)
		pause()
		atomic.AddInt64(tally, -1)
		return require(inside <= most, fmt.Sprintf("%d were in, not %d", inside, most))
	}, err
}

// The number in a file that both sides map into their memory: tests/interop/tally.h.
func mapped(file string) (*int64, error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	memory, err := unix.Mmap(int(f.Fd()), 0, 8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*int64)(unsafe.Pointer(&memory[0])), nil
}

// It lasts long enough for another thread to come in, if the lock lets it.
func pause() { time.Sleep(50 * time.Microsecond) }

func require(met bool, otherwise string) error {
	if met {
		return nil
	}
	return fmt.Errorf("%s", otherwise)
}
