// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

/** How long calls waited, in the slots of bench/histogram.h, each a sixteenth of a power of two. */
final class Histogram {
  private static final int SLOTS = 40 * 16;

  private final long[] counts = new long[SLOTS];
  private long longest;
  private long count;

  void add(long ns) {
    int slot = (int) Math.min(ns, 15);
    if (ns >= 16) {
      int shift = 59 - Long.numberOfLeadingZeros(ns);
      slot = Math.min((shift << 4) + (int) (ns >> shift), SLOTS - 1);
    }
    ++counts[slot];
    ++count;
    longest = Math.max(longest, ns);
  }

  void merge(Histogram other) {
    for (int i = 0; i < SLOTS; ++i) {
      counts[i] += other.counts[i];
    }
    count += other.count;
    longest = Math.max(longest, other.longest);
  }

  long count() {
    return count;
  }

  /**
   * The longest wait in nanoseconds and SLOT:COUNT for every slot that is not empty, with a comma
   * after each.
   */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder().append(longest).append(' ');
    for (int i = 0; i < SLOTS; ++i) {
      if (counts[i] > 0) {
        text.append(i).append(':').append(counts[i]).append(',');
      }
    }
    return text.toString();
  }
}
