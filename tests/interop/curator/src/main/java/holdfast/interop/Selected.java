// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;

/** A LeaderSelector, which is held while its listener leads. Its id is "java". */
final class Selected implements Guard {
  private final CuratorFramework curator;
  private final String path;
  private Term term;
  private LeaderSelector selector;

  Selected(CuratorFramework curator, String path) {
    this.curator = curator;
    this.path = path;
  }

  private static final class Term extends LeaderSelectorListenerAdapter {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch over = new CountDownLatch(1);

    @Override
    public void takeLeadership(CuratorFramework curator) throws InterruptedException {
      begun.countDown();
      over.await();
    }
  }

  @Override
  public String lock(long wait, long lease) throws Exception {
    term = new Term();
    selector = new LeaderSelector(curator, path, term);
    selector.setId("java");
    selector.start();
    if (term.begun.await(wait < 0 ? Long.MAX_VALUE : wait, TimeUnit.MILLISECONDS)) {
      return "";
    }
    selector.close();
    return null;
  }

  @Override
  public void unlock(String grant) {
    term.over.countDown();
    selector.close();
  }
}
