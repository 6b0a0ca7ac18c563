// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/survey.h"

#include <algorithm>
#include <utility>

#include "engines/zookeeper/children.h"

namespace holdfast::zookeeper {
namespace {

using engine::Entry;

Entry entry_of(const std::string& child, const Answer& node) {
  Entry entry;
  entry.owner = child;
  entry.payload = node.text;
  const bool reads = role_of(child) == NodeRole::read;
  entry.mode = reads ? engine::Mode::shared : engine::Mode::exclusive;
  entry.token = {static_cast<std::uint64_t>(node.stat.czxid)};
  entry.since =
      std::chrono::system_clock::time_point(std::chrono::milliseconds(node.stat.ctime));
  return entry;
}

}  // namespace

Result<std::vector<Entry>> read_entries(Backend& backend, const std::string& directory,
                                        const std::vector<std::string>& children,
                                        std::size_t limit,
                                        WatchRegistry::Key watch_first,
                                        engine::Deadline until) {
  Batch batch(backend.sessions().handle(until));
  const std::size_t count = std::min(limit, children.size());
  for (std::size_t i = 0; i < count; ++i) {
    batch.get(directory + "/" + children[i], i == 0 ? watch_first : 0);
  }
  std::vector<Entry> entries;
  if (count == 0) return entries;
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  for (std::size_t i = 0; i < count; ++i) {
    const int code = batch[i].code;
    if (code == ZNONODE) continue;
    if (code != ZOK) return failure_of(code, "read " + directory + "/" + children[i]);
    entries.push_back(entry_of(children[i], batch[i]));
  }
  return entries;
}

}  // namespace holdfast::zookeeper
