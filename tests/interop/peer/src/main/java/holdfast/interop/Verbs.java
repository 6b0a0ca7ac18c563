// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The verbs that every peer has. KIND is the library's word. Times are in ms; a negative
 * WAIT has no end, and a negative LEASE is kept for as long as it is held.
 *
 * <pre>
 *   lock KIND NAME WAIT LEASE      its token or permit, or "timeout" when the time has passed
 *   unlock KIND NAME               the last grant of this thread
 *   contend KIND NAME SECTION FILE THREADS GRANTS    see Work, and CriticalSection
 *   storm KIND NAME THREADS MS SECTION             see Work
 * </pre>
 */
final class Verbs {
  interface Verb {
    /** Returns the value of the answer, or null when the time has passed. */
    String run(String[] words) throws Exception;
  }

  private record Held(Guard guard, String grant) {}

  private final Guard.Maker guards;
  private final Map<String, Verb> verbs = new HashMap<>();
  private final Map<String, Held> held = new ConcurrentHashMap<>();

  Verbs(Guard.Maker guards) {
    this.guards = guards;
    Work work = new Work(guards);
    add("lock", this::lock);
    add("unlock", this::unlock);
    add("contend", work::contend);
    add("storm", work::storm);
  }

  void add(String name, Verb verb) {
    verbs.put(name, verb);
  }

  String run(String name, String[] words) throws Exception {
    Verb verb = verbs.get(name);
    if (verb == null) {
      throw new IllegalArgumentException("no verb is called " + name);
    }
    return verb.run(words);
  }

  private String lock(String[] words) throws Exception {
    Guard guard = guards.of(words[0], words[1]);
    String grant = guard.lock(Long.parseLong(words[2]), Long.parseLong(words[3]));
    if (grant != null) {
      held.put(place(words), new Held(guard, grant));
    }
    return grant;
  }

  /** It also tries without a grant, which the library has to refuse. */
  private String unlock(String[] words) throws Exception {
    Held last = held.remove(place(words));
    if (last == null) {
      last = new Held(guards.of(words[0], words[1]), "");
    }
    last.guard.unlock(last.grant);
    return "";
  }

  private static String place(String[] words) {
    return Thread.currentThread().getId() + words[0] + words[1];
  }
}
