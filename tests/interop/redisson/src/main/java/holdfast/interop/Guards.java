// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** Redisson's locks. The two sides of an RReadWriteLock are called RReadLock and RWriteLock. */
record Guards(RedissonClient redisson) implements Guard.Maker {
  @Override
  public Guard of(String kind, String name) {
    return switch (kind) {
      case "RFencedLock" -> new Fenced(redisson.getFencedLock(name));
      case "RSemaphore" -> new Permits(redisson.getSemaphore(name));
      case "RPermitExpirableSemaphore" ->
          new LeasedPermits(redisson.getPermitExpirableSemaphore(name));
      default -> new Plain(lock(kind, name));
    };
  }

  RLock lock(String kind, String name) {
    return switch (kind) {
      case "RLock" -> redisson.getLock(name);
      case "RFairLock" -> redisson.getFairLock(name);
      case "RFencedLock" -> redisson.getFencedLock(name);
      case "RReadLock" -> redisson.getReadWriteLock(name).readLock();
      case "RWriteLock" -> redisson.getReadWriteLock(name).writeLock();
      default -> throw new IllegalArgumentException("no lock is called " + kind);
    };
  }

  private record Plain(RLock lock) implements Guard {
    @Override
    public String lock(long wait, long lease) throws InterruptedException {
      if (wait < 0) {
        lock.lock(lease, TimeUnit.MILLISECONDS);
        return "";
      }
      return lock.tryLock(wait, lease, TimeUnit.MILLISECONDS) ? "" : null;
    }

    @Override
    public void unlock(String grant) {
      lock.unlock();
    }
  }

  private record Fenced(RFencedLock lock) implements Guard {
    @Override
    public String lock(long wait, long lease) throws InterruptedException {
      Long token =
          wait < 0
              ? lock.lockAndGetToken(lease, TimeUnit.MILLISECONDS)
              : lock.tryLockAndGetToken(wait, lease, TimeUnit.MILLISECONDS);
      return token == null ? null : token.toString();
    }

    @Override
    public void unlock(String grant) {
      lock.unlock();
    }
  }

  private record Permits(RSemaphore semaphore) implements Guard {
    @Override
    public String lock(long wait, long lease) throws InterruptedException {
      if (wait < 0) {
        semaphore.acquire();
        return "";
      }
      return semaphore.tryAcquire(Duration.ofMillis(wait)) ? "" : null;
    }

    @Override
    public void unlock(String grant) {
      semaphore.release();
    }
  }

  private record LeasedPermits(RPermitExpirableSemaphore semaphore) implements Guard {
    @Override
    public String lock(long wait, long lease) throws InterruptedException {
      return wait < 0
          ? semaphore.acquire(lease, TimeUnit.MILLISECONDS)
          : semaphore.tryAcquire(wait, lease, TimeUnit.MILLISECONDS);
    }

    @Override
    public void unlock(String grant) {
      semaphore.release(grant);
    }
  }
}
