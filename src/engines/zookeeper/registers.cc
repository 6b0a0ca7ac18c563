// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/registers.h"

#include <utility>

#include "base/common_failures.h"
#include "base/ids.h"

namespace holdfast::zookeeper {

using engine::Deadline;
using engine::Exchanged;
using engine::Value;

namespace {

// The index of the operation that changes the node itself, among those of
// `register_ops`.
std::size_t find_main(const std::vector<Op>& ops, const StoredRegister& stored,
                      const std::string& path) {
  std::size_t main = 0;
  while (ops[main].path != path || (stored.leftover && main == 0)) ++main;
  return main;
}

bool must_create(const StoredRegister& stored) noexcept {
  return !stored.exists || stored.leftover;
}

}  // namespace

Register::Register(const ZookeeperResource& resource, std::string path,
                   RegisterFormat format)
    : resource_(resource),
      backend_(resource.backend()),
      path_(std::move(path)),
      format_(format) {}

Result<StoredRegister> Register::read(const Answer& node) const {
  if (!node.ok() && node.code != ZNONODE) {
    return failure_of(node.code, "read " + path_);
  }
  auto stored = read_register(format_, node);
  if (!stored) {
    return used_by_another_kind(path_);
  }
  return *std::move(stored);
}

Result<StoredRegister> Register::fetch(Deadline until, bool set_watches) {
  Batch batch(backend_.sessions().handle(until));
  if (set_watches) resource_.set_watches(batch);
  const bool watch = is_cacheable() && !cached();
  const WatchTarget end{path_, WatchFor::children};
  if (watch) {
    base::MutexLock lock(mutex_);
    last_.reset();
    end_watch_ = WatchSet::make(backend_.watches(), {end}, nullptr);
  }
  if (watch) batch.children(path_, WatchRegistry::key(end));
  const auto got = batch.get(path_);
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  auto stored = read(batch[got]);
  if (stored && stored->exists) remember(*stored);
  return stored;
}

// A node that is deleted and created again has the old versions again. A watch on its
// children, of which it has none, tells of its deletion and of nothing else.
std::optional<StoredRegister> Register::cached() const {
  base::MutexLock lock(mutex_);
  return end_watch_ != nullptr && end_watch_->quiet() ? last_ : std::nullopt;
}

void Register::remember(std::optional<StoredRegister> stored) {
  if (!is_cacheable()) return;
  base::MutexLock lock(mutex_);
  last_ = std::move(stored);
}

Result<Value> Register::load(Deadline until) {
  const auto stored = fetch(until, true);
  if (!stored) return stored.error();
  return stored->value();
}

// A session's requests are applied in order, also over another connection. So a request
// that has not been applied when the look-up is answered never will be.
Result<void> Register::look_up(Receipt& receipt, Deadline until) {
  auto handle = backend_.sessions().handle(until);
  if (!handle) return std::move(handle).error();
  if ((*handle)->id() != receipt.sent_in) {
    return base::session_ended_unanswered(path_, "ZooKeeper");
  }
  Batch batch(*std::move(handle));
  const std::string path = backend_.receipts().path_of(receipt);
  batch.sync(path);
  const auto got = batch.get(path);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const Answer& node = batch[got];
  if (!node.ok() && node.code != ZNONODE) return failure_of(node.code, "read " + path);
  receipt.session = node.ok() ? batch.session() : 0;
  if (const auto value = Receipts::read(receipt, node)) {
    receipt.known = Exchanged{true, *value};
  }
  receipt.in_doubt = false;
  receipt.may_arrive = false;
  return {};
}

Result<kit::Written<StoredRegister>> Register::write(const StoredRegister& stored,
                                                     std::optional<std::int64_t> to,
                                                     Receipt* receipt, Deadline until) {
  using Written = kit::Written<StoredRegister>;
  auto handle = backend_.sessions().handle(until);
  if (!handle) return std::move(handle).error();
  const std::int64_t session = (*handle)->id();
  auto ops = register_ops(format_, stored, path_, to,
                          base::to_string(base::random_uuid()), backend_.payload());
  const std::size_t own = ops.size();
  const std::size_t main = find_main(ops, stored, path_);
  if (receipt != nullptr) {
    ops.push_back(backend_.receipts().write(*receipt, session, to));
    receipt->sent_in = session;
    receipt->in_doubt = true;
  }
  Batch batch(*std::move(handle));
  const auto all = batch.multi(std::move(ops));
  const auto seen = must_create(stored) ? batch.exists(path_) : all;
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  if (receipt != nullptr) receipt->in_doubt = false;
  if (const int code = batch[all].code; code != ZOK) {
    const int receipt_code = receipt != nullptr ? batch.op_code(own) : ZOK;
    auto again = explain_refusal(code, stored, receipt, receipt_code, until);
    if (!again) return std::move(again).error();
    remember(std::nullopt);
    return Written{};
  }
  if (receipt != nullptr) receipt->session = session;
  const Stat& stat = must_create(stored) ? batch[seen].stat : batch.op_stat(main);
  StoredRegister now = after_write(stored, to, stat);
  remember(stored.exists ? std::optional(now) : std::nullopt);
  return Written{true, std::move(now)};
}

StoredRegister Register::after_write(const StoredRegister& before,
                                     std::optional<std::int64_t> to,
                                     const Stat& stat) const {
  StoredRegister now;
  now.exists = to.has_value() || is_cacheable();
  now.has_number = to.has_value();
  now.number = to.value_or(0);
  now.width = before.width;
  now.node_version = must_create(before) ? 0 : stat.version;
  now.version =
      static_cast<std::uint64_t>(must_create(before) ? stat.czxid : stat.mzxid);
  return now;
}

Result<void> Register::explain_refusal(int code, const StoredRegister& stored,
                                       Receipt* receipt, int receipt_code,
                                       Deadline until) {
  if (receipt_code == ZNONODE) {
    receipt->session = 0;
    return backend_.make_parents(backend_.receipts().path_of(*receipt), until);
  }
  if (receipt_code == ZNODEEXISTS) receipt->session = receipt->sent_in;
  switch (code) {
    case ZNONODE:
      return must_create(stored) ? backend_.make_parents(path_, until)
                                 : explain_missing(stored, until);
    case ZBADVERSION:
    case ZNODEEXISTS:
      return {};
    case ZNOTEMPTY:
      return used_by_another_kind(path_);
    default:
      return failure_of(code, "change " + path_);
  }
}

// The node was deleted, or only the tag of a latch is missing that is otherwise
// unchanged: then Holdfast has not made that latch.
Result<void> Register::explain_missing(const StoredRegister& stored, Deadline until) {
  const auto now = fetch(until, false);
  if (!now) return now.error();
  if (now->has_number && now->version == stored.version) {
    return Failure(Errc::incompatible,
                   path_ + " is not a latch that Holdfast has made: use another name");
  }
  return {};
}

}  // namespace holdfast::zookeeper
