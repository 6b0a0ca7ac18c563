// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What many threads of this process do together. */
final class Work {
  private static final long PATIENCE_MS = 120_000;

  private final Guard.Maker guards;

  Work(Guard.Maker guards) {
    this.guards = guards;
  }

  /**
   * contend KIND NAME SECTION FILE THREADS GRANTS: each thread gets in GRANTS times, and uses the
   * number in FILE as SECTION says. The answer is how often all of them got in.
   */
  String contend(String[] words) throws Exception {
    CriticalSection section = CriticalSection.of(words[2], words[3]);
    int grants = Integer.parseInt(words[5]);
    Callable<Integer> caller =
        () -> {
          Guard guard = guards.of(words[0], words[1]);
          for (int i = 0; i < grants; ++i) {
            String grant = guard.lock(PATIENCE_MS, -1);
            if (grant == null) {
              throw new IllegalStateException("waited in vain for " + words[1]);
            }
            try {
              section.run();
            } finally {
              guard.unlock(grant);
            }
          }
          return grants;
        };
    int sum = 0;
    for (int done : together(Integer.parseInt(words[4]), i -> caller)) {
      sum += done;
    }
    return "" + sum;
  }

  /**
   * storm KIND NAME THREADS MS SECTION: each thread locks and unlocks as fast as it can, all of
   * them NAME, or, when that ends in "/", each its own name below it. A thread is busy for SECTION
   * microseconds while it has the lock. The answer is how many grants there were, how many the
   * unluckiest and the luckiest thread got, and how long they waited, as a Histogram tells it.
   */
  String storm(String[] words) throws Exception {
    String name = words[1];
    long ns = Long.parseLong(words[3]) * 1_000_000;
    long section = Long.parseLong(words[4]) * 1000;
    Callers<Histogram> callers =
        i -> {
          String mine = name.endsWith("/") ? name + i : name;
          return () -> storm(guards.of(words[0], mine), ns, section);
        };
    long fewest = Long.MAX_VALUE;
    long most = 0;
    Histogram all = new Histogram();
    for (Histogram each : together(Integer.parseInt(words[2]), callers)) {
      fewest = Math.min(fewest, each.count());
      most = Math.max(most, each.count());
      all.merge(each);
    }
    return all.count() + " " + fewest + " " + most + " " + all;
  }

  private static Histogram storm(Guard guard, long ns, long section) throws Exception {
    Histogram waits = new Histogram();
    long end = System.nanoTime() + ns;
    for (long asked = System.nanoTime(); asked < end; asked = System.nanoTime()) {
      String grant = guard.lock(-1, -1);
      long granted = System.nanoTime();
      waits.add(granted - asked);
      while (section > 0 && System.nanoTime() < granted + section) {
        Thread.onSpinWait();
      }
      guard.unlock(grant);
    }
    return waits;
  }

  private interface Callers<T> {
    Callable<T> at(int index);
  }

  private static <T> List<T> together(int threads, Callers<T> callers) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<T>> all = new ArrayList<>();
      for (int i = 0; i < threads; ++i) {
        all.add(callers.at(i));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> each : pool.invokeAll(all)) {
        results.add(each.get());
      }
      return results;
    } finally {
      pool.shutdown();
    }
  }
}
