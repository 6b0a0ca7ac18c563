// SPDX-License-Identifier: Apache-2.0

package holdfast.shop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * One service of the shop on Redisson: POST /stock/deduct sells one item under an RLock, as the
 * strategy holdfast-redis does under a Mutex, from the same stock in Redis.
 *
 * <p>A request has a thread of its own, since waiting for a lock blocks.
 */
public final class Service {
  private final RLock lock;
  private final RBucket<String> stock;

  private Service(int port) {
    Config config = new Config();
    config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
    var redisson = Redisson.create(config);
    lock = redisson.getLock("shop/stock");
    stock = redisson.getBucket("{shop}stock", StringCodec.INSTANCE);
  }

  public static void main(String[] args) throws IOException {
    Service service = new Service(Integer.parseInt(System.getenv("HOLDFAST_SHOP_REDIS")));
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/stock/deduct", service::deduct);
    server.start();
    System.out.println("listening on 127.0.0.1:" + server.getAddress().getPort());
  }

  private void deduct(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String outcome = sell() ? "sold" : "sold_out";
      byte[] body =
          ("{\"outcome\":\"" + outcome + "\",\"retries\":0}\n").getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
  }

  private boolean sell() {
    lock.lock();
    try {
      int count = Integer.parseInt(stock.get());
      if (count <= 0) {
        return false;
      }
      stock.set(Integer.toString(count - 1));
      return true;
    } finally {
      lock.unlock();
    }
  }
}
