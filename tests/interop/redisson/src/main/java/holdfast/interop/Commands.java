package holdfast.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RedissonClient;

/**
 * The verbs. KIND is the name of a Redisson interface; the two sides of an RReadWriteLock are
 * called RReadLock and RWriteLock. Times are in ms; a negative WAIT has no end, and a negative
 * LEASE is renewed for as long as it is held (a permit: does not end).
 *
 * <pre>
 *   lock KIND NAME WAIT LEASE      its token or permit; "timeout": the time passed
 *   unlock KIND NAME               the last grant of this thread
 *   locked KIND NAME               whether anybody has it: true or false
 *   held KIND NAME                 how often this thread has it
 *   left KIND NAME                 how many ms remain of it
 *   force KIND NAME                ends it, whoever has it
 *   get KIND NAME                  the number
 *   set KIND NAME NUMBER           whether it was set: true or false
 *   add KIND NAME NUMBER           a negative one counts a latch down
 *   swap NAME FROM TO              of an RAtomicLong: whether it was FROM
 *   await NAME WAIT                until the RCountDownLatch is open
 *   contend KIND NAME VISIT KEY THREADS GRANTS     see Work, and Visit
 *   storm KIND NAME THREADS MS     see Work
 * </pre>
 */
final class Commands {
  private interface Command {
    String run(String[] words) throws Exception;
  }

  private final RedissonClient redisson;
  private final Map<String, Command> verbs = new HashMap<>();
  private final Map<String, String> grants = new ConcurrentHashMap<>();

  Commands(RedissonClient redisson) {
    this.redisson = redisson;
    Work work = new Work(redisson);
    verbs.put("lock", this::lock);
    verbs.put("unlock", this::unlock);
    verbs.put("locked", w -> "" + Guard.lock(redisson, w[0], w[1]).isLocked());
    verbs.put("held", w -> "" + Guard.lock(redisson, w[0], w[1]).getHoldCount());
    verbs.put("left", w -> "" + Guard.lock(redisson, w[0], w[1]).remainTimeToLive());
    verbs.put("force", w -> "" + Guard.lock(redisson, w[0], w[1]).forceUnlock());
    verbs.put("get", w -> "" + Register.of(redisson, w[0], w[1]).get());
    verbs.put("set", w -> "" + Register.of(redisson, w[0], w[1]).set(Long.parseLong(w[2])));
    verbs.put("add", this::add);
    verbs.put("swap", this::swap);
    verbs.put("await", this::await);
    verbs.put("contend", work::contend);
    verbs.put("storm", work::storm);
  }

  /** The value of the answer; null: the time passed. */
  String run(String verb, String[] words) throws Exception {
    Command command = verbs.get(verb);
    if (command == null) {
      throw new IllegalArgumentException("no verb is called " + verb);
    }
    return command.run(words);
  }

  private String lock(String[] words) throws InterruptedException {
    Guard guard = Guard.of(redisson, words[0], words[1]);
    String grant = guard.lock(Long.parseLong(words[2]), Long.parseLong(words[3]));
    if (grant != null) {
      grants.put(place(words), grant);
    }
    return grant;
  }

  private String unlock(String[] words) {
    Guard.of(redisson, words[0], words[1]).unlock(grants.getOrDefault(place(words), ""));
    return "";
  }

  private static String place(String[] words) {
    return Thread.currentThread().getId() + words[0] + words[1];
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
