// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/queue_keepalive.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "engines/redis/backend.h"
#include "engines/redis/side_by_side.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kRest = QueueKeepAlive::kLongestPause * 4 / 5;
// Waiters that are due within this time are asked for together.
constexpr std::chrono::milliseconds kTogether = QueueKeepAlive::kLongestPause - kRest;
constexpr auto kBetweenLooks = 1s;
constexpr auto kCallTime = 3s;
constexpr std::size_t kEntriesPerCall = 100;  // The server is busy while a script runs.
constexpr std::size_t kEntriesPerWrite = 3'200;

// From now on the waiter asks for itself.
void give_back(QueueKeepAlive::Entry& entry) noexcept {
  if (const auto waiter = entry.waiter.lock()) waiter->end_rest();
  entry.waiter.reset();
}

void add_waiter(Invocation& call, const Backend& backend,
                const QueueKeepAlive::Entry& entry) {
  const Verb& verb = entry.layout->keep;
  const auto waiter = entry.waiter.lock();
  const auto owner = backend.owner(entry.ticket);
  const KeyNames names(entry.layout->prefixes, entry.name);
  call.arg(owner).arg(waiter != nullptr && waiter->has_channel() ? "1" : "0");
  for (const Part part : verb.keys) call.arg(names.text(part, owner));
  backend.add_args(call, verb, names, entry.slot,
                   {.ticket = entry.ticket, .capacity = entry.capacity});
}

// REQUIRES: all entries have the same layout
Invocation spell_keep(const Backend& backend,
                      std::span<QueueKeepAlive::Entry* const> entries) {
  Invocation call(*entries.front()->layout->keep.script);
  call.arg(QueueKeepAlive::kEntryLives.count()).arg(entries.size());
  for (const auto* const each : entries) add_waiter(call, backend, *each);
  return call;
}

void settle_kept(std::span<QueueKeepAlive::Entry* const> entries, ReplyView reply,
                 Clock::time_point sent) {
  const bool answered = reply.size() == entries.size() + 1;
  const ServerTime at{sent, std::chrono::microseconds(reply[0].number())};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto held_for = answered ? reply[i + 1].number() : 0;
    const auto waiter = entries[i]->waiter.lock();
    if (held_for >= 0 && held_for < QueueKeepAlive::kLongestPause.count()) {
      give_back(*entries[i]);
    } else if (waiter != nullptr) {
      waiter->set_server_time(at);
    }
  }
}

}  // namespace

bool QueueKeepAlive::add(Entry entry) noexcept {
  const auto waiter = entry.waiter.lock();
  if (waiter == nullptr) return false;
  base::MutexLock lock(mutex_);
  if (!waiter->begin_rest()) return true;
  try {
    entry.due = Clock::now() + kRest;
    entries_.push_back(std::move(entry));
  } catch (const std::exception&) {
    waiter->end_rest();
    return false;
  }
  if (entries_.size() > 1 || thread_.wake()) return true;
  entries_.pop_back();
  waiter->end_rest();
  return false;
}

// Keeps the entries that are due, and returns when the next one is. The thread does not
// notice how long the host was asleep, so it looks every second.
Clock::time_point QueueKeepAlive::look() noexcept {
  std::vector<Entry> round;
  try {
    round = take_due();
    keep_entries(round);
    put_back(round);
  } catch (const std::exception&) {  // There is no memory.
    for (Entry& each : round) give_back(each);
  }
  base::MutexLock lock(mutex_);
  if (entries_.empty()) return Clock::time_point::max();
  return std::min(entries_.front().due, Clock::now() + kBetweenLooks);
}

void QueueKeepAlive::put_back(std::vector<Entry>& round) {
  base::MutexLock lock(mutex_);
  const auto due = Clock::now() + kRest;
  for (Entry& each : round) {
    if (each.waiter.expired()) continue;
    each.due = due;
    entries_.push_back(std::move(each));
  }
}

std::vector<QueueKeepAlive::Entry> QueueKeepAlive::take_due() {
  base::MutexLock lock(mutex_);
  if (entries_.empty() || entries_.front().due > Clock::now()) return {};
  const auto soon = Clock::now() + kTogether;
  const auto end = std::find_if(entries_.begin(), entries_.end(),
                                [&](const Entry& each) { return each.due > soon; });
  std::vector<Entry> round(std::make_move_iterator(entries_.begin()),
                           std::make_move_iterator(end));
  entries_.erase(entries_.begin(), end);
  return round;
}

// Asks the servers to keep the entries. One that is not kept any more has no waiter
// afterwards.
void QueueKeepAlive::keep_entries(std::vector<Entry>& round) {
  const auto until = Clock::now() + kCallTime;
  std::map<Requests*, std::vector<Entry*>> by_server;
  for (Entry& each : round) {
    if (each.waiter.expired()) continue;
    const auto server = backend_.servers().requests_for(each.slot, until);
    if (server) {
      by_server[*server].push_back(&each);
    } else {
      give_back(each);
    }
  }
  ask_side_by_side(by_server, [&](Requests& server, std::vector<Entry*>& entries) {
    keep_at(server, entries, until);
  });
}

void QueueKeepAlive::keep_at(Requests& server, std::vector<Entry*>& entries,
                             engine::Deadline until) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
    return std::less<>{}(a->layout, b->layout);
  });
  std::span<Entry* const> rest(entries);
  while (!rest.empty()) {
    const auto some = rest.first(std::min(rest.size(), kEntriesPerWrite));
    keep_some(server, some, until);
    rest = rest.subspan(some.size());
  }
}

void QueueKeepAlive::keep_some(Requests& server, std::span<Entry* const> entries,
                               engine::Deadline until) {
  std::vector<std::span<Entry* const>> batches;
  std::vector<Invocation> calls;
  std::string out;
  for (auto rest = entries; !rest.empty(); rest = rest.subspan(batches.back().size())) {
    std::size_t count = 1;
    while (count < std::min(rest.size(), kEntriesPerCall) &&
           rest[count]->layout == rest[0]->layout) {
      ++count;
    }
    batches.push_back(rest.first(count));
    calls.push_back(spell_keep(backend_, batches.back()));
    calls.back().write(out);
  }
  std::vector<Reply> replies(batches.size());
  const auto sent = Clock::now();
  (void)server.call(out, replies, until);  // A reply that did not come is empty.
  for (std::size_t i = 0; i < batches.size(); ++i) {
    auto reply = Backend::with_text_if_unknown(std::move(replies[i]), calls[i], out,
                                               [&] { return server.call(out, until); });
    settle_kept(batches[i], std::move(reply).value_or(Reply()).view(), sent);
  }
}

}  // namespace holdfast::redis
