// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** What a holder of the lock does; it throws when another holder is there that must not be. */
interface CriticalSection {
  void run();

  /**
   * "add" reads the number in the file and writes it back, one larger, a moment later: if a lock
   * lets two in, some additions are lost. "read" reads it twice and expects no change. A number is
   * the most holders that there may be; they count themselves in the file.
   */
  static CriticalSection of(String how, String file) throws IOException {
    Tally tally = new Tally(file);
    return switch (how) {
      case "add" ->
          () -> {
            long seen = tally.get();
            pause();
            tally.set(seen + 1);
          };
      case "read" ->
          () -> {
            long seen = tally.get();
            pause();
            require(seen == tally.get(), "a writer was in beside a reader");
          };
      default -> counted(tally, Long.parseLong(how));
    };
  }

  private static CriticalSection counted(Tally inside, long most) {
    return () -> {
      long now = inside.add(1);
      pause();
      inside.add(-1);
      require(now <= most, now + " were in, not " + most);
    };
  }

  /** It lasts long enough for another thread to come in, if the lock lets it. */
  private static void pause() {
    LockSupport.parkNanos(50_000);
  }

  private static void require(boolean met, String otherwise) {
    if (!met) {
      throw new IllegalStateException(otherwise);
    }
  }
}
