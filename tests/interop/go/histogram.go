// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/bits"
	"strings"
)

const slots = 40 * 16

// Histogram counts waits in the slots of bench/histogram.h, each a sixteenth of a power of two.
type Histogram struct {
	counts  [slots]int64
	longest int64
}

func (h *Histogram) Add(ns int64) {
	slot := int(ns)
	if ns >= 16 {
		shift := bits.Len64(uint64(ns)) - 5
		slot = shift<<4 + int(ns>>shift)
	}
	h.counts[min(slot, slots-1)]++
	h.longest = max(h.longest, ns)
}

func (h *Histogram) Merge(other *Histogram) {
	for i, count := range other.counts {
		h.counts[i] += count
	}
	h.longest = max(h.longest, other.longest)
}

// String returns the longest wait in nanoseconds and SLOT:COUNT for every slot that is not
// empty, with a comma after each.
func (h *Histogram) String() string {
	var text strings.Builder
	fmt.Fprint(&text, h.longest, " ")
	for slot, count := range h.counts {
		if count > 0 {
			fmt.Fprintf(&text, "%d:%d,", slot, count)
		}
	}
	return text.String()
}
