package holdfast.interop;

import org.redisson.api.RAtomicLong;
import org.redisson.api.RBucket;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** What somebody does who is in; throws when somebody is in who must not be. */
interface Visit {
  void run();

  /**
   * "add" reads the number at the key and writes it back, one larger, in two plain commands: a lock
   * that lets two in loses some. "read" reads it twice and expects no change. A number: not more
   * than so many may be in; they count themselves at the key.
   */
  static Visit of(RedissonClient redisson, String how, String key) {
    RBucket<String> number = redisson.getBucket(key, StringCodec.INSTANCE);
    return switch (how) {
      case "add" -> () -> number.set("" + (Long.parseLong(number.get()) + 1));
      case "read" ->
          () -> require(number.get().equals(number.get()), "a writer was in beside a reader");
      default -> counted(redisson.getAtomicLong(key), Long.parseLong(how));
    };
  }

  private static Visit counted(RAtomicLong inside, long most) {
    return () -> {
      long now = inside.incrementAndGet();
      inside.decrementAndGet();
      require(now <= most, now + " were in, not " + most);
    };
  }

  private static void require(boolean met, String otherwise) {
    if (!met) {
      throw new IllegalStateException(otherwise);
    }
  }
}
