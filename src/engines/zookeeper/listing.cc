// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/listing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/kit/session.h"
#include "engines/zookeeper/children.h"
#include "engines/zookeeper/names.h"
#include "engines/zookeeper/stored_register.h"

namespace holdfast::zookeeper {
namespace {

using engine::Deadline;
using engine::Entry;
using engine::Kind;

std::optional<Kind> kind_of_child(const std::string& child) noexcept {
  switch (role_of(child)) {
    case NodeRole::lock:
      return Kind::mutex;
    case NodeRole::latch:
      return Kind::election;
    case NodeRole::read:
    case NodeRole::write:
      return Kind::shared_mutex;
    case NodeRole::part:
      return Kind::semaphore;
    case NodeRole::member:
    case NodeRole::ready:
      return Kind::double_barrier;
    case NodeRole::lease:
    case NodeRole::kazoo:
    case NodeRole::other:
      return std::nullopt;
  }
  return std::nullopt;
}

// Returns nullopt for an empty directory, and for one that is not Holdfast's. A node of
// 4 bytes may also be an AtomicInteger's.
std::optional<Kind> kind_of(const Answer& node, const Answer& list) {
  if (is_latch(node.text)) return Kind::latch;
  if (node.text.size() == 4) return Kind::shared_count;
  if (looks_like_a_number(node.text)) return Kind::counter;
  for (const std::string& child : list.names) {
    if (const auto kind = kind_of_child(child)) return kind;
  }
  const bool barrier = list.names.empty() && !node.text.empty();
  return barrier ? std::optional(Kind::barrier) : std::nullopt;
}

class Walk {
 public:
  Walk(Backend& backend, std::string_view prefix, std::string_view from, Deadline until)
      : backend_(backend), prefix_(prefix), from_(from), until_(until) {}

  Result<engine::Page> run() {
    const std::string& root = backend_.options().root;
    Answer top;
    if (auto done = ask(root.empty() ? "/" : root, top); !done) {
      return std::move(done).error();
    }
    if (auto done = visit("", top.names); !done) return std::move(done).error();
    return std::move(page_);
  }

 private:
  std::string path_of(const std::string& step) const {
    return backend_.options().root + step;
  }

  Result<void> ask(const std::string& path, Answer& list) {
    Batch batch(backend_.sessions().handle(until_));
    const auto at = batch.children(path);
    if (auto done = batch.wait(until_); !done) return done;
    if (!batch[at].ok() && batch[at].code != ZNONODE) {
      return failure_of(batch[at].code, "list " + path);
    }
    list = batch[at];
    return {};
  }

  // The name that a step stands for, if it is one.
  std::optional<std::string> name_of(const std::string& step) const {
    if (backend_.options().raw_names) return step.substr(1);
    return decode_name(std::string_view(step).substr(1));
  }
  bool is_wanted(const std::string& name) const {
    return name.starts_with(prefix_) && name > from_;
  }
  bool may_hold(const std::string& name) const {
    const std::string below = name + "/";
    return below.starts_with(prefix_) || prefix_.starts_with(below);
  }

  // `above` is "" or a path below the root, as "/app".
  Result<void> visit(const std::string& above, const std::vector<std::string>& steps) {
    const bool raw = backend_.options().raw_names;
    std::vector<std::pair<std::string, std::string>> wanted;  // name, step
    for (const std::string& each : steps) {
      const std::string step = above + "/" + each;
      if (path_of(step) == "/zookeeper" || each == "%marks") continue;
      const auto name = name_of(step);
      if (!name) continue;
      if (is_wanted(*name) || (raw && may_hold(*name)))
        wanted.emplace_back(*name, step);
    }
    std::sort(wanted.begin(), wanted.end());
    for (std::size_t done = 0; done < wanted.size() && page_.next.empty();) {
      const std::size_t count = std::min(kit::kPage, wanted.size() - done);
      Batch batch(backend_.sessions().handle(until_));
      for (std::size_t i = 0; i < count; ++i) {
        batch.get(path_of(wanted[done + i].second));
        batch.children(path_of(wanted[done + i].second));
      }
      if (auto answered = batch.wait(until_); !answered) return answered;
      for (std::size_t i = 0; i < count && page_.next.empty(); ++i) {
        const auto& [name, step] = wanted[done + i];
        if (!batch[2 * i].ok() || !batch[2 * i + 1].ok()) continue;
        const auto kind = kind_of(batch[2 * i], batch[2 * i + 1]);
        if (kind && is_wanted(name)) kit::add_to(page_, {*kind, name});
        if (!kind && raw) {
          if (auto below = visit(step, batch[2 * i + 1].names); !below) return below;
        }
      }
      done += count;
    }
    return {};
  }

  Backend& backend_;
  const std::string prefix_;
  const std::string from_;
  const Deadline until_;
  engine::Page page_;
};

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

Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until) {
  return Walk(backend, prefix, from, until).run();
}

Result<std::vector<Entry>> read_entries(Backend& backend, const std::string& directory,
                                        const std::vector<std::string>& children,
                                        std::size_t limit,
                                        WatchRegistry::Key watch_first,
                                        Deadline until) {
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
