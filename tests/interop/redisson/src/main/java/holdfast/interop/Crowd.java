// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;

/** Many asynchronous waiters for one lock, which is passed from one to the next. */
final class Crowd {
  private static final long FIRST = 0; // Redisson's word for an owner is a thread's number.

  private final Guards guards;
  private RLock lock;
  private CountDownLatch left;
  private long granted;
  private long released;
  private final Histogram handovers = new Histogram();

  Crowd(Guards guards) {
    this.guards = guards;
  }

  /** gather KIND NAME WAITERS: one takes the lock, and WAITERS wait for it without a thread. */
  String gather(String[] words) throws Exception {
    int waiters = Integer.parseInt(words[2]);
    lock = guards.lock(words[0], words[1]);
    left = new CountDownLatch(waiters);
    lock.lockAsync(FIRST).toCompletableFuture().get();
    for (long i = FIRST + 1; i <= waiters; ++i) {
      long owner = i;
      lock.lockAsync(owner).whenComplete((nothing, failure) -> pass(owner, failure));
    }
    return "";
  }

  /**
   * serve MS: gives the lock to the first waiter. The answer, when all have had it or the time is
   * over, is how many have, and how long the hand-overs took, as a Histogram tells it.
   */
  String serve(String[] words) throws Exception {
    synchronized (this) {
      released = System.nanoTime();
    }
    lock.unlockAsync(FIRST).toCompletableFuture().get();
    left.await(Long.parseLong(words[0]), TimeUnit.MILLISECONDS);
    synchronized (this) {
      return granted + " " + handovers;
    }
  }

  private void pass(long owner, Throwable failure) {
    synchronized (this) {
      if (failure != null) { // It has waited in vain, and is not among the granted.
        left.countDown();
        return;
      }
      ++granted;
      handovers.add(System.nanoTime() - released);
      released = System.nanoTime();
    }
    lock.unlockAsync(owner).whenComplete((nothing, late) -> left.countDown());
  }
}
