// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A number in a file that both sides map into their memory: tests/interop/tally.h. */
final class Tally {
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;

  Tally(String file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
    }
  }

  long get() {
    return (long) LONG.getVolatile(memory, 0);
  }

  void set(long number) {
    LONG.setVolatile(memory, 0, number);
  }

  long add(long by) {
    return (long) LONG.getAndAdd(memory, 0, by) + by;
  }
}
