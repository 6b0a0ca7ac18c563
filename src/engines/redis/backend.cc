// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/backend.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/ids.h"
#include "engines/redis/errors.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestOpening = 5s;

}  // namespace

Result<std::shared_ptr<Backend>> Backend::open(const Options& options,
                                               const engine::SessionOptions& session) {
  std::shared_ptr<Backend> backend(new Backend(options, session));
  const auto until = Clock::now() + kLongestOpening;
  auto server = fetch_server_info(backend->requests_, options.endpoint, until);
  if (!server) return std::move(server).error();
  backend->server_info_ = *std::move(server);
  if (auto may = backend->may_publish(until); !may) return std::move(may).error();
  return backend;
}

Backend::Backend(const Options& options, const engine::SessionOptions& session)
    : options_(options),
      client_(base::to_string(session.client)),
      payload_(session.payload),
      ttl_(session.ttl),
      requests_(
          options.endpoint,
          [alarm = session.alarm] {
            if (alarm != nullptr) alarm->ring();
          },
          [this] { pub_sub_.reconnect(); }, session.retry),
      pub_sub_(options.endpoint, session.retry),
      waiters_(pub_sub_, client_, session.alarm) {}

// A user without the right to PUBLISH could acquire but not release, because the
// release script fails at its PUBLISH. The session therefore tries it when it opens.
Result<void> Backend::may_publish(engine::Deadline until) {
  std::string out;
  Command(out, 3).add("PUBLISH").add(waiters_.session_channel()).add("0");
  const auto reply = requests_.call(out, until);
  if (!reply) return reply.error();
  if (reply->view().is_error()) return failure_of(reply->view());
  return {};
}

std::string Backend::owner(engine::Ticket ticket) const {
  return client_ + ":h" + std::to_string(static_cast<std::uint64_t>(ticket));
}

std::int64_t Backend::lease_ms(engine::Lease lease) const noexcept {
  if (lease.count() == 0 || lease == engine::kNoLease) return ttl_.count();
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(lease);
  return std::max<std::int64_t>(whole.count(), 1);
}

void Backend::write(const Invocation& call, engine::Deadline until, std::string& out) {
  until > Clock::now() ? call.write(out) : call.write_in_full(out);
}

Result<Reply> Backend::run(const Invocation& call, engine::Deadline until) {
  static thread_local std::string out;
  out.clear();
  write(call, until, out);
  auto reply = requests_.call(out, until);
  if (reply && is_no_script(reply->view())) {
    out.clear();
    call.write_in_full(out);
    reply = requests_.call(out, until);
  }
  if (reply && reply->view().is_error()) return failure_of(reply->view());
  return reply;
}

Result<Reply> Backend::run_acked(const Invocation& call, std::int64_t& acks,
                                 engine::Deadline until) {
  std::string out;
  const auto ask = [&]() -> Result<Reply> {
    Command(out, 3).add("WAIT").add(options_.acks).add(options_.ack_time.count());
    std::array<Reply, 2> replies;
    const auto done = requests_.call(out, std::span<Reply>(replies), until);
    if (!done) return done.error();
    acks = replies[1].view().number();
    return std::move(replies[0]);
  };
  write(call, until, out);
  auto reply = ask();
  if (reply && is_no_script(reply->view())) {
    out.clear();
    call.write_in_full(out);
    reply = ask();
  }
  if (reply && reply->view().is_error()) return failure_of(reply->view());
  return reply;
}

void Backend::remember_uncertain(engine::Ticket ticket) {
  const auto now = Clock::now();
  base::MutexLock lock(mutex_);
  std::erase_if(uncertain_,
                [&](const auto& each) { return now - each.second > kLatestArrival; });
  uncertain_[ticket] = now;
  uncertain_count_.store(uncertain_.size());
}

bool Backend::is_uncertain(engine::Ticket ticket) const {
  if (uncertain_count_.load() == 0) return false;
  base::MutexLock lock(mutex_);
  const auto known = uncertain_.find(ticket);
  return known != uncertain_.end() && Clock::now() - known->second <= kLatestArrival;
}

void Backend::forget_uncertain(engine::Ticket ticket) noexcept {
  if (uncertain_count_.load() == 0) return;
  base::MutexLock lock(mutex_);
  uncertain_.erase(ticket);
  uncertain_count_.store(uncertain_.size());
}

}  // namespace holdfast::redis
