// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;

/**
 * The verbs of Curator's barriers.
 *
 * <pre>
 *   shut NAME                      a DistributedBarrier
 *   open NAME
 *   await NAME WAIT                until it is open
 *   enter NAME PARTIES WAIT        a DistributedDoubleBarrier, with this thread as a party
 *   leave NAME WAIT
 * </pre>
 */
final class Meetings {
  private final CuratorFramework curator;
  private final Map<String, DistributedDoubleBarrier> entered = new ConcurrentHashMap<>();

  Meetings(CuratorFramework curator) {
    this.curator = curator;
  }

  void addTo(Verbs verbs) {
    verbs.add("shut", this::shut);
    verbs.add("open", this::open);
    verbs.add("await", this::await);
    verbs.add("enter", this::enter);
    verbs.add("leave", this::leave);
  }

  private DistributedBarrier barrier(String name) {
    return new DistributedBarrier(curator, Guards.path(name));
  }

  private String shut(String[] words) throws Exception {
    barrier(words[0]).setBarrier();
    return "";
  }

  private String open(String[] words) throws Exception {
    barrier(words[0]).removeBarrier();
    return "";
  }

  private String await(String[] words) throws Exception {
    boolean open = barrier(words[0]).waitOnBarrier(Long.parseLong(words[1]), TimeUnit.MILLISECONDS);
    return open ? "" : null;
  }

  private String enter(String[] words) throws Exception {
    var barrier =
        new DistributedDoubleBarrier(
            curator, Guards.path(words[0]), Integer.parseInt(words[1]));
    entered.put(place(words[0]), barrier);
    return barrier.enter(Long.parseLong(words[2]), TimeUnit.MILLISECONDS) ? "" : null;
  }

  private String leave(String[] words) throws Exception {
    var barrier = entered.remove(place(words[0]));
    return barrier.leave(Long.parseLong(words[1]), TimeUnit.MILLISECONDS) ? "" : null;
  }

  private static String place(String name) {
    return Thread.currentThread().getId() + name;
  }
}
