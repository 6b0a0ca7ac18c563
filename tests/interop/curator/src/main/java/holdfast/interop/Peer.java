// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.io.IOException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

/** One Curator client, driven by Lines. */
public final class Peer {
  private static final int CONNECT_MS = 15_000;

  private Peer() {}

  /**
   * The arguments are the server's URL, and the time in ms for which locks outlive this process,
   * which is the session's timeout.
   */
  public static void main(String[] args) throws IOException {
    int session = args.length > 1 ? Integer.parseInt(args[1]) : 30_000;
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(
            args[0].replace("zookeeper://", ""), session, CONNECT_MS, new RetryNTimes(20, 50));
    curator.start();
    new Lines(Commands.of(curator)).serve();
  }
}
