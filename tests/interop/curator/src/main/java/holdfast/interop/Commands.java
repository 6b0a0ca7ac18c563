// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.HexFormat;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.zookeeper.data.Stat;

/**
 * The verbs of Curator's peer, besides those of Verbs and of Meetings. KIND is the name of a class.
 *
 * <pre>
 *   get KIND NAME                  the number
 *   set KIND NAME NUMBER
 *   add KIND NAME NUMBER
 *   swap KIND NAME FROM TO         whether it was FROM: true or false
 *   seen NAME NUMBER WAIT          until a SharedCount that follows it says so
 *   leader NAME                    the id of the LeaderLatch that leads; empty if none does
 *   delete PATH
 *   revoke PATH                    asks the holder of this node to give it back
 *   children PATH                  their names, sorted, with a space between
 *   data PATH                      in hexadecimal
 *   exists PATH                    true or false
 *   ephemeral PATH                 whether it ends with its session: true or false
 *   czxid PATH                     the number of the transaction that made it
 * </pre>
 */
final class Commands {
  private final CuratorFramework curator;
  private final Counts counts;

  private Commands(CuratorFramework curator) {
    this.curator = curator;
    this.counts = new Counts(curator);
  }

  static Verbs of(CuratorFramework curator) {
    Commands commands = new Commands(curator);
    Verbs verbs = new Verbs(new Guards(curator));
    new Meetings(curator).addTo(verbs);
    verbs.add("get", w -> "" + commands.register(w).get());
    verbs.add("set", commands::set);
    verbs.add("add", commands::add);
    verbs.add("swap", commands::swap);
    verbs.add("seen", commands::seen);
    verbs.add(
        "leader", w -> new LeaderLatch(curator, Guards.path(w[0])).getLeader().getId());
    verbs.add("delete", commands::delete);
    verbs.add("revoke", commands::revoke);
    verbs.add(
        "children",
        w -> String.join(" ", new TreeSet<>(curator.getChildren().forPath(w[0]))));
    verbs.add("data", w -> HexFormat.of().formatHex(curator.getData().forPath(w[0])));
    verbs.add("exists", w -> "" + (commands.stat(w) != null));
    verbs.add("ephemeral", w -> "" + (commands.stat(w).getEphemeralOwner() != 0));
    verbs.add("czxid", w -> "" + commands.stat(w).getCzxid());
    return verbs;
  }

  private Stat stat(String[] words) throws Exception {
    return curator.checkExists().forPath(words[0]);
  }

  private Register register(String[] words) {
    return Register.of(curator, words[0], Guards.path(words[1]));
  }

  private String set(String[] words) throws Exception {
    register(words).set(Long.parseLong(words[2]));
    return "true";
  }

  private String add(String[] words) throws Exception {
    register(words).add(Long.parseLong(words[2]));
    return "";
  }

  private String swap(String[] words) throws Exception {
    return "" + register(words).swap(Long.parseLong(words[2]), Long.parseLong(words[3]));
  }

  private String seen(String[] words) throws Exception {
    var count = counts.at(Guards.path(words[0]));
    int wanted = Integer.parseInt(words[1]);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[2]));
    while (count.getCount() != wanted) {
      if (System.nanoTime() > end) {
        return null;
      }
      Thread.sleep(1);
    }
    return "";
  }

  private String delete(String[] words) throws Exception {
    curator.delete().forPath(words[0]);
    return "";
  }

  private String revoke(String[] words) throws Exception {
    Revoker.attemptRevoke(curator, words[0]);
    return "";
  }
}
