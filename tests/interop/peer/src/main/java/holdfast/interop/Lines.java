// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Drives a peer by lines. The words of a line are separated by tabs:
 *
 * <pre>
 *   THREAD VERB WORD...                  a command
 *   THREAD ok VALUE BEGAN ENDED          its answer; the times are those of
 *   THREAD timeout VALUE BEGAN ENDED     CLOCK_MONOTONIC in nanoseconds
 *   THREAD error SENTENCE BEGAN ENDED
 * </pre>
 *
 * Locks in Java belong to threads, so every command names the thread that shall do it, which is
 * made on first use. A thread does its commands one after another; threads do not wait for each
 * other. The program prints "ready" first and ends with its input.
 */
final class Lines {
  private final Verbs verbs;
  private final Map<String, ExecutorService> threads = new HashMap<>();
  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  Lines(Verbs verbs) {
    this.verbs = verbs;
  }

  /** Does not return; the locks of the process end as after a crash. */
  void serve() throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    say("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split("\t", -1);
      threads
          .computeIfAbsent(words[0], name -> Executors.newSingleThreadExecutor())
          .execute(() -> obey(words));
    }
    Runtime.getRuntime().halt(0);
  }

  private void obey(String[] words) {
    long began = System.nanoTime();
    String said;
    String value;
    try {
      value = verbs.run(words[1], Arrays.copyOfRange(words, 2, words.length));
      said = value == null ? "timeout" : "ok";
    } catch (Exception e) {
      said = "error";
      value = e.toString().replaceAll("\\s+", " ");
    }
    long ended = System.nanoTime();
    say(String.join("\t", words[0], said, value == null ? "" : value, "" + began, "" + ended));
  }

  private synchronized void say(String line) {
    out.println(line);
    out.flush();
  }
}
