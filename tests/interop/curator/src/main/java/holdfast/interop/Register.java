// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.function.LongFunction;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicInteger;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicNumber;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.retry.RetryNTimes;

/** A number that outlives its clients. */
interface Register {
  long get() throws Exception;

  void set(long number) throws Exception;

  void add(long by) throws Exception;

  /** Returns whether it was {@code from}. */
  boolean swap(long from, long to) throws Exception;

  static Register of(CuratorFramework curator, String kind, String path) {
    RetryNTimes retries = new RetryNTimes(1000, 1);
    return switch (kind) {
      case "DistributedAtomicLong" ->
          new Atomic<>(new DistributedAtomicLong(curator, path, retries), n -> n);
      case "DistributedAtomicInteger" ->
          new Atomic<>(new DistributedAtomicInteger(curator, path, retries), n -> (int) n);
      case "SharedCount" -> new Count(curator, path);
      default -> new Count(curator, path + "/permits"); // of an InterProcessSemaphoreV2
    };
  }

  record Atomic<T extends Number>(DistributedAtomicNumber<T> number, LongFunction<T> as)
      implements Register {
    @Override
    public long get() throws Exception {
      return done(number.get()).postValue().longValue();
    }

    @Override
    public void set(long to) throws Exception {
      number.forceSet(as.apply(to));
    }

    @Override
    public void add(long by) throws Exception {
      done(number.add(as.apply(by)));
    }

    @Override
    public boolean swap(long from, long to) throws Exception {
      return number.compareAndSet(as.apply(from), as.apply(to)).succeeded();
    }

    private AtomicValue<T> done(AtomicValue<T> value) {
      if (!value.succeeded()) {
        throw new IllegalStateException("others were faster all the time");
      }
      return value;
    }
  }

  /** Each call asks the server and does not use what was seen before. */
  record Count(CuratorFramework curator, String path) implements Register {
    private interface Use<T> {
      T of(SharedCount count) throws Exception;
    }

    private <T> T use(Use<T> use) throws Exception {
      try (SharedCount count = new SharedCount(curator, path, 0)) {
        count.start();
        return use.of(count);
      }
    }

    @Override
    public long get() throws Exception {
      return use(SharedCount::getCount);
    }

    @Override
    public void set(long number) throws Exception {
      use(
          count -> {
            count.setCount((int) number);
            return null;
          });
    }

    @Override
    public void add(long by) throws Exception {
      use(
          count -> {
            for (var seen = count.getVersionedValue(); ; seen = count.getVersionedValue()) {
              if (count.trySetCount(seen, seen.getValue() + (int) by)) {
                return null;
              }
            }
          });
    }

    @Override
    public boolean swap(long from, long to) throws Exception {
      return use(
          count -> {
            var seen = count.getVersionedValue();
            return seen.getValue() == from && count.trySetCount(seen, (int) to);
          });
    }
  }
}
