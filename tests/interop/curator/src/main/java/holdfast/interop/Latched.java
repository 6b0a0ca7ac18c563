// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;

/** A LeaderLatch, which is held by the process that leads. Its id is "java". */
final class Latched implements Guard {
  private final CuratorFramework curator;
  private final String path;
  private LeaderLatch latch;

  Latched(CuratorFramework curator, String path) {
    this.curator = curator;
    this.path = path;
  }

  @Override
  public String lock(long wait, long lease) throws Exception {
    latch = new LeaderLatch(curator, path, "java");
    latch.start();
    if (wait < 0) {
      latch.await();
      return "";
    }
    if (latch.await(wait, TimeUnit.MILLISECONDS)) {
      return "";
    }
    latch.close();
    return null;
  }

  @Override
  public void unlock(String grant) throws Exception {
    latch.close();
  }
}
