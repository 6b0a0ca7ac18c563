package holdfast.interop;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** What somebody does who is in; throws when somebody is in who must not be. */
interface Visit {
  void run();

  /**
   * "add" reads the number in the file and writes it back, one larger, a moment later: a lock that
   * lets two in loses some. "read" reads it twice and expects no change. A number: not more than so
   * many may be in; they count themselves in the file.
   */
  static Visit of(String how, String file) throws IOException {
    Tally tally = new Tally(file);
    return switch (how) {
      case "add" ->
          () -> {
            long seen = tally.get();
            linger();
            tally.set(seen + 1);
          };
      case "read" ->
          () -> {
            long seen = tally.get();
            linger();
            require(seen == tally.get(), "a writer was in beside a reader");
          };
      default -> counted(tally, Long.parseLong(how));
    };
  }

  private static Visit counted(Tally inside, long most) {
    return () -> {
      long now = inside.add(1);
      linger();
      inside.add(-1);
      require(now <= most, now + " were in, not " + most);
    };
  }

  /** Long enough for somebody else to come in, if he can. */
  private static void linger() {
    LockSupport.parkNanos(50_000);
  }

  private static void require(boolean met, String otherwise) {
    if (!met) {
      throw new IllegalStateException(otherwise);
    }
  }
}
