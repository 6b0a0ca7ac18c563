// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.io.IOException;
import org.redisson.Redisson;
import org.redisson.config.Config;

/** One Redisson client, driven by Lines. */
public final class Peer {
  private static final String CLUSTER = "redis+cluster://";

  private Peer() {}

  /**
   * The arguments are Holdfast's URL of the server or of the cluster, and the times in ms for which
   * a lock without a lease of its own, and a waiter in the queue of a fair lock, outlive this
   * process.
   */
  public static void main(String[] args) throws IOException {
    Config config = new Config();
    use(config, args[0]);
    if (args.length > 1) {
      config.setLockWatchdogTimeout(Long.parseLong(args[1]));
      config.setFairLockWaitTimeout(Long.parseLong(args[2]));
    }
    new Lines(Commands.of(Redisson.create(config))).serve();
  }

  private static void use(Config config, String url) {
    if (!url.startsWith(CLUSTER)) {
      config.useSingleServer().setAddress(url);
      return;
    }
    for (String address : url.substring(CLUSTER.length()).split(",")) {
      config.useClusterServers().addNodeAddress("redis://" + address);
    }
  }
}
