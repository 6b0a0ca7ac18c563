package holdfast.interop;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** One way to keep others out, whatever gives it. Times are in ms. */
interface Guard {
  /**
   * The grant: a token, a permit, or an empty string. Null: the time passed. A negative {@code
   * wait} has no end; a negative {@code lease} lasts until it is given back.
   */
  String lock(long wait, long lease) throws InterruptedException;

  void unlock(String grant);

  static Guard of(RedissonClient redisson, String kind, String name) {
    return switch (kind) {
      case "RFencedLock" -> new Fenced(redisson.getFencedLock(name));
      case "RSemaphore" -> new Permits(redisson.getSemaphore(name));
      case "RPermitExpirableSemaphore" ->
          new LeasedPermits(redisson.getPermitExpirableSemaphore(name));
      default -> new Plain(lock(redisson, kind, name));
    };
  }

  static RLock lock(RedissonClient redisson, String kind, String name) {
    return switch (kind) {
      case "RLock" -> redisson.getLock(name);
      case "RFairLock" -> redisson.getFairLock(name);
      case "RFencedLock" -> redisson.getFencedLock(name);
      case "RReadLock" -> redisson.getReadWriteLock(name).readLock();
      case "RWriteLock" -> redisson.getReadWriteLock(name).writeLock();
      default -> throw new IllegalArgumentException("no lock is called " + kind);
    };
  }

  record Plain(RLock lock) implements Guard {
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

  record Fenced(RFencedLock lock) implements Guard {
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

  record Permits(RSemaphore semaphore) implements Guard {
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

  record LeasedPermits(RPermitExpirableSemaphore semaphore) implements Guard {
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
