// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import org.redisson.api.RAtomicLong;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** A number that outlives its clients: a count, or how many permits there are. */
interface Register {
  long get();

  /** Returns whether it was set; a latch or a semaphore is set only once. */
  boolean set(long number);

  /** Adds to it; a latch is counted down by as many. */
  void add(long by);

  static Register of(RedissonClient redisson, String kind, String name) {
    return switch (kind) {
      case "RAtomicLong" -> new Counter(redisson.getAtomicLong(name));
      case "RCountDownLatch" -> new Latch(redisson.getCountDownLatch(name));
      case "RSemaphore" -> new Permits(redisson.getSemaphore(name));
      case "RPermitExpirableSemaphore" ->
          new LeasedPermits(redisson.getPermitExpirableSemaphore(name));
      default -> throw new IllegalArgumentException("no register is called " + kind);
    };
  }

  record Counter(RAtomicLong counter) implements Register {
    @Override
    public long get() {
      return counter.get();
    }

    @Override
    public boolean set(long number) {
      counter.set(number);
      return true;
    }

    @Override
    public void add(long by) {
      counter.addAndGet(by);
    }
  }

  record Latch(RCountDownLatch latch) implements Register {
    @Override
    public long get() {
      return latch.getCount();
    }

    @Override
    public boolean set(long number) {
      return latch.trySetCount(number);
    }

    @Override
    public void add(long by) {
      for (long i = by; i < 0; ++i) {
        latch.countDown();
      }
    }
  }

  record Permits(RSemaphore semaphore) implements Register {
    @Override
    public long get() {
      return semaphore.availablePermits();
    }

    @Override
    public boolean set(long number) {
      return semaphore.trySetPermits((int) number);
    }

    @Override
    public void add(long by) {
      semaphore.addPermits((int) by);
    }
  }

  record LeasedPermits(RPermitExpirableSemaphore semaphore) implements Register {
    @Override
    public long get() {
      return semaphore.availablePermits();
    }

    @Override
    public boolean set(long number) {
      return semaphore.trySetPermits((int) number);
    }

    @Override
    public void add(long by) {
      semaphore.addPermits((int) by);
    }
  }
}
