// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RedissonClient;

/**
 * The verbs of Redisson's peer, besides those of Verbs. KIND is the name of an interface.
 *
 * <pre>
 *   locked KIND NAME               whether it is held: true or false
 *   held KIND NAME                 how often this thread holds it
 *   left KIND NAME                 how many ms remain of it
 *   force KIND NAME                ends the hold of any thread
 *   get KIND NAME                  the number
 *   set KIND NAME NUMBER           whether it was set: true or false
 *   add KIND NAME NUMBER           a negative one counts a latch down
 *   swap NAME FROM TO              of an RAtomicLong: whether it was FROM
 *   await NAME WAIT                until the RCountDownLatch is open
 *   gather KIND NAME WAITERS       see Crowd
 *   serve MS                       see Crowd
 * </pre>
 */
final class Commands {
  private final RedissonClient redisson;

  private Commands(RedissonClient redisson) {
    this.redisson = redisson;
  }

  static Verbs of(RedissonClient redisson) {
    Commands commands = new Commands(redisson);
    Guards guards = new Guards(redisson);
    Verbs verbs = new Verbs(guards);
    verbs.add("locked", w -> "" + guards.lock(w[0], w[1]).isLocked());
    verbs.add("held", w -> "" + guards.lock(w[0], w[1]).getHoldCount());
    verbs.add("left", w -> "" + guards.lock(w[0], w[1]).remainTimeToLive());
    verbs.add("force", w -> "" + guards.lock(w[0], w[1]).forceUnlock());
    verbs.add("get", w -> "" + Register.of(redisson, w[0], w[1]).get());
    verbs.add("set", w -> "" + Register.of(redisson, w[0], w[1]).set(Long.parseLong(w[2])));
    verbs.add("add", commands::add);
    verbs.add("swap", commands::swap);
    verbs.add("await", commands::await);
    Crowd crowd = new Crowd(guards);
    verbs.add("gather", crowd::gather);
    verbs.add("serve", crowd::serve);
    return verbs;
  }

  private String add(String[] words) {
    Register.of(redisson, words[0], words[1]).add(Long.parseLong(words[2]));
    return "";
  }

  private String swap(String[] words) {
    long from = Long.parseLong(words[1]);
    long to = Long.parseLong(words[2]);
    return "" + redisson.getAtomicLong(words[0]).compareAndSet(from, to);
  }

  private String await(String[] words) throws InterruptedException {
    var latch = redisson.getCountDownLatch(words[0]);
    return latch.await(Long.parseLong(words[1]), TimeUnit.MILLISECONDS) ? "" : null;
  }
}
