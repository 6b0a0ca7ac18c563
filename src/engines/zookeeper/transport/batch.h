// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/transport/batch.h - requests that are sent together and answered in
// order.
//
//   Batch batch(sessions.handle(until));
//   const auto made = batch.create(path, data, Node::ephemeral_sequential);
//   const auto listed = batch.children(directory);
//   if (auto done = batch.wait(until); !done) return done.error();
//   batch[made].text, batch[listed].names

#pragma once

#include <zookeeper/zookeeper.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/zookeeper/errors.h"
#include "engines/zookeeper/transport/handle.h"
#include "holdfast/result.h"

namespace holdfast::zookeeper {

struct Answer {
  int code = ZOK;  // ZNONODE, ZBADVERSION, ...
  std::string text;
  std::vector<std::string> names;
  Stat stat{};
  bool ok() const noexcept { return code == ZOK; }
};

enum class Node : std::uint8_t {
  persistent,
  container,
  ephemeral,
  ephemeral_sequential
};

inline constexpr int kAnyVersion = -1;

// One operation of a transaction.
struct Op {
  enum class Type : std::uint8_t { create, set, remove, check };
  Type type;
  std::string path;
  std::string data = {};
  Node node = Node::persistent;
  int version = kAnyVersion;
};

// Each request is sent at once. A batch belongs to one thread. Without a connected
// session nothing is sent, and `wait` returns the failure.
class Batch {
 public:
  explicit Batch(Result<std::shared_ptr<Handle>> handle);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Each function returns the index of its answer. `watch` is a WatchRegistry key, or
  // zero.
  std::size_t create(const std::string& path, std::string_view data, Node node);
  std::size_t remove(const std::string& path, int version = kAnyVersion);
  std::size_t set(const std::string& path, std::string_view data, int version);
  std::size_t get(const std::string& path, WatchRegistry::Key watch = 0);
  std::size_t exists(const std::string& path, WatchRegistry::Key watch = 0);
  std::size_t children(const std::string& path, WatchRegistry::Key watch = 0);

  // Requests after this one see everything that was applied before it, also through
  // other servers. If the server refuses it, `wait` fails.
  void sync(const std::string& path);

  // Sends a transaction. The answers of its operations are in `op_code`, `op_stat` and
  // `op_path`.
  std::size_t multi(std::vector<Op> ops);

  // Blocks until all answers have come. Errc::outcome_unknown: the connection was lost,
  // or the deadline has passed, and each request may have been applied or not.
  Result<void> wait(engine::Deadline until);

  // Does the same for a batch that changes nothing: it fails with Errc::unavailable
  // instead.
  Result<void> wait_to_read(engine::Deadline until);

  // REQUIRES: `wait` has succeeded.
  const Answer& operator[](std::size_t index) const;
  int first_code() const;                        // ZOK if the batch is empty
  int op_code(std::size_t index) const;          // in the only transaction
  const Stat& op_stat(std::size_t index) const;  // of a `set` in it
  std::string op_path(std::size_t index) const;  // of a `create` in it

  // REQUIRES: there is a session, as after a successful `wait`.
  std::int64_t session() const noexcept { return handle_->id(); }
  Handle& handle() const noexcept { return *handle_; }

  class State;

 private:
  struct Slot;
  template <class Send>
  std::size_t send(Request request, Send send);

  const std::shared_ptr<Handle> handle_;  // null if `failure_` says why
  const std::optional<Failure> failure_;
  const std::shared_ptr<State> state_;
  const Clock::time_point started_;
  struct Sync {
    std::size_t index;
    std::string path;
  };
  std::optional<Sync> sync_;
};

}  // namespace holdfast::zookeeper
