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
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * One Redisson client, driven by lines. The words of a line are separated by tabs:
 *
 * <pre>
 *   THREAD VERB WORD...                  a command
 *   THREAD ok VALUE BEGAN ENDED          its answer; the times are those of
 *   THREAD timeout VALUE BEGAN ENDED     CLOCK_MONOTONIC in nanoseconds
 *   THREAD error SENTENCE BEGAN ENDED
 * </pre>
 *
 * Redisson's locks belong to threads, so every command names the thread that shall do it, which is
 * made on first use. A thread does its commands one after another; threads do not wait for each
 * other. Commands lists the verbs. The program says "ready" first, and ends with its input.
 */
public final class Peer {
  private final Commands commands;
  private final Map<String, ExecutorService> threads = new HashMap<>();
  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  private Peer(RedissonClient redisson) {
    commands = new Commands(redisson);
  }

  /**
   * Arguments: the server's URL, and in ms how long a lock without a lease of its own outlives this
   * process, and how long a place in a fair lock's queue.
   */
  public static void main(String[] args) throws IOException {
    Config config = new Config();
    config.useSingleServer().setAddress(args[0]);
    if (args.length > 1) {
      config.setLockWatchdogTimeout(Long.parseLong(args[1]));
      config.setFairLockWaitTimeout(Long.parseLong(args[2]));
    }
    new Peer(Redisson.create(config)).serve();
    Runtime.getRuntime().halt(0); // what is held ends as after a crash
  }

  private void serve() throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    say("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split("\t", -1);
      threads
          .computeIfAbsent(words[0], name -> Executors.newSingleThreadExecutor())
          .execute(() -> obey(words));
    }
  }

  private void obey(String[] words) {
    long began = System.nanoTime();
    String said;
    String value;
    try {
      value = commands.run(words[1], Arrays.copyOfRange(words, 2, words.length));
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
