// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/**
 * Curator's locks. The two sides of an InterProcessReadWriteLock are called ReadLock and WriteLock.
 * "InterProcessSemaphoreV2" reads the number of its leases at NAME/permits;
 * "InterProcessSemaphoreV2of3" gets the number from its caller.
 */
final class Guards implements Guard.Maker {
  private static final String SEMAPHORE = "InterProcessSemaphoreV2";

  private final CuratorFramework curator;
  private final Counts counts;
  private final Map<String, InterProcessReadWriteLock> shared = new ConcurrentHashMap<>();

  Guards(CuratorFramework curator) {
    this.curator = curator;
    this.counts = new Counts(curator);
  }

  /** A name that does not start with a slash is below the root. */
  static String path(String name) {
    return name.startsWith("/") ? name : "/" + name;
  }

  @Override
  public Guard of(String kind, String name) throws Exception {
    String path = path(name);
    return switch (kind) {
      case "InterProcessMutex" -> new Plain(new InterProcessMutex(curator, path));
      case "InterProcessSemaphoreMutex" -> new Plain(new InterProcessSemaphoreMutex(curator, path));
      case "ReadLock" -> new Plain(sides(path).readLock());
      case "WriteLock" -> new Plain(sides(path).writeLock());
      case "LeaderLatch" -> new Latched(curator, path);
      case "LeaderSelector" -> new Selected(curator, path);
      case SEMAPHORE ->
          new Permits(new InterProcessSemaphoreV2(curator, path, counts.at(path + "/permits")));
      default -> new Permits(new InterProcessSemaphoreV2(curator, path, leases(kind)));
    };
  }

  /** The process has one object, because only its own readers know of its writer. */
  private InterProcessReadWriteLock sides(String path) {
    return shared.computeIfAbsent(path, p -> new InterProcessReadWriteLock(curator, p));
  }

  private static int leases(String kind) {
    if (!kind.startsWith(SEMAPHORE + "of")) {
      throw new IllegalArgumentException("no lock is called " + kind);
    }
    return Integer.parseInt(kind.substring(SEMAPHORE.length() + 2));
  }

  private record Plain(InterProcessLock lock) implements Guard {
    @Override
    public String lock(long wait, long lease) throws Exception {
      if (wait < 0) {
        lock.acquire();
        return "";
      }
      return lock.acquire(wait, TimeUnit.MILLISECONDS) ? "" : null;
    }

    @Override
    public void unlock(String grant) throws Exception {
      lock.release();
    }
  }

  private static final class Permits implements Guard {
    private final InterProcessSemaphoreV2 semaphore;
    private Lease lease;

    Permits(InterProcessSemaphoreV2 semaphore) {
      this.semaphore = semaphore;
    }

    @Override
    public String lock(long wait, long unused) throws Exception {
      lease = wait < 0 ? semaphore.acquire() : semaphore.acquire(wait, TimeUnit.MILLISECONDS);
      return lease == null ? null : lease.getNodeName();
    }

    @Override
    public void unlock(String grant) {
      semaphore.returnLease(lease);
    }
  }
}
