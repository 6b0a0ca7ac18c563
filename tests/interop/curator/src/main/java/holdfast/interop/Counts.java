// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

import java.util.HashMap;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.shared.SharedCount;

/** One started SharedCount for each path, which follows its changes. */
final class Counts {
  private final CuratorFramework curator;
  private final Map<String, SharedCount> all = new HashMap<>();

  Counts(CuratorFramework curator) {
    this.curator = curator;
  }

  synchronized SharedCount at(String path) throws Exception {
    SharedCount count = all.get(path);
    if (count == null) {
      count = new SharedCount(curator, path, 0);
      count.start();
      all.put(path, count);
    }
    return count;
  }
}
