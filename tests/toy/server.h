// SPDX-License-Identifier: Apache-2.0
// tests/toy/server.h - step 1 of "A new engine" in docs/architecture.md: the server and
// the requests to it. It keeps one document for each name, changes it by
// compare-and-swap and notifies its watchers. It knows nothing of grants.

#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "engines/kit/register_loop.h"

namespace holdfast::toy {

using namespace engine;  // The toy implements the waist and little else.
constexpr std::chrono::nanoseconds kLookAgain = std::chrono::seconds(1);

struct Document {
  std::uint64_t version = 0;  // grows with every change, and never starts again
  Kind kind{};
  std::vector<Entry> queue = {};  // in order of arrival; `owner` is SESSION:TICKET
  std::optional<Value> number = {};
  // By session and number of the receipt: for which ticket it was written last.
  std::map<std::pair<std::int64_t, std::uint64_t>, std::pair<Ticket, Value>> receipts;
  bool in_use() const noexcept { return !queue.empty() || number.has_value(); }
  auto find(const std::string& owner) {
    return std::ranges::find(queue, owner, &Entry::owner);
  }
};

// Safe for concurrent use.
class Server {
 public:
  // Faults on the way: so many requests are done and not answered, or are not done.
  std::atomic<int> lose_replies{0}, lose_requests{0};
  std::atomic<bool> unreachable{false};
  std::atomic<std::int64_t> last_session{0};

  void end(std::int64_t session) {
    const std::string prefix = std::to_string(session) + ":";
    const std::lock_guard lock(mutex_);
    for (auto& [name, document] : documents_) {
      const auto ours = [&](const Entry& e) { return e.owner.starts_with(prefix); };
      if (std::erase_if(document.queue, ours) > 0) store(name, document);
    }
  }
  Result<Document> read(const std::string& name) {
    if (unreachable) return Errc::unavailable;
    if (take(lose_requests) || take(lose_replies)) return Errc::outcome_unknown;
    const std::lock_guard lock(mutex_);
    return documents_[name];
  }
  // False: the document has another version than this one was read with.
  Result<bool> swap(const std::string& name, const Document& next) {
    if (unreachable) return Errc::unavailable;
    if (take(lose_requests)) return Errc::outcome_unknown;
    const std::lock_guard lock(mutex_);
    const bool same = documents_[name].version == next.version;
    if (same) store(name, next);
    if (take(lose_replies)) return Errc::outcome_unknown;
    return same;
  }
  Result<Page> list(std::string_view prefix) {
    if (unreachable) return Errc::unavailable;
    const std::lock_guard lock(mutex_);
    Page page;
    for (const auto& [name, document] : documents_) {
      if (!document.in_use() || !name.starts_with(prefix)) continue;
      page.addresses.push_back({document.kind, name});
    }
    return page;
  }
  // Rings at every change of the name, until the result is destroyed.
  std::shared_ptr<void> watch(const std::string& name, const Waker& waker) {
    const auto watch = std::make_shared<Watched>(name, waker);
    const std::lock_guard lock(mutex_);
    watches_.push_back(watch);
    return watch;
  }

 private:
  using Watched = std::pair<std::string, Waker>;
  static bool take(std::atomic<int>& faults) { return faults > 0 && faults-- > 0; }
  void store(const std::string& name, Document next) {
    ++next.version;
    documents_[name] = std::move(next);
    std::erase_if(watches_, [&](const std::weak_ptr<Watched>& each) {
      const auto watch = each.lock();
      if (watch != nullptr && watch->first == name) watch->second->ring();
      return watch == nullptr;
    });
  }

  std::mutex mutex_;
  std::map<std::string, Document> documents_;
  std::vector<std::weak_ptr<Watched>> watches_;
};

// What the resources of one session share.
struct Backend {
  const std::shared_ptr<Server> server;
  const SessionOptions options;
  const std::int64_t session = ++server->last_session;
  kit::ReceiptPool<kit::ChangeReceipt> receipts = {};
  ~Backend() { server->end(session); }
  std::vector<std::string> warnings() const { return {}; }
  std::vector<ServerDescription> descriptions() const { return {}; }
};

}  // namespace holdfast::toy
