package holdfast.interop;

import java.io.IOException;
import org.redisson.Redisson;
import org.redisson.config.Config;

/** One Redisson client, driven by Lines. */
public final class Peer {
  private Peer() {}

  /**
   * The arguments are the server's URL, and the times in ms for which a lock without a lease of its
   * own, and a waiter in the queue of a fair lock, outlive this process.
   */
  public static void main(String[] args) throws IOException {
    Config config = new Config();
    config.useSingleServer().setAddress(args[0]);
    if (args.length > 1) {
      config.setLockWatchdogTimeout(Long.parseLong(args[1]));
      config.setFairLockWaitTimeout(Long.parseLong(args[2]));
    }
    new Lines(Commands.of(Redisson.create(config))).serve();
  }
}
