// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/posted_calls.h"

#include <exception>
#include <utility>

namespace holdfast::redis {
namespace {

constexpr std::size_t kMostSpare = 256;

// No claim has such a ticket.
constexpr std::uint64_t kForgotten = std::uint64_t{1} << 63;

// Without memory for its sentence, a failure keeps its code.
Failure copy_of(const Failure& why) noexcept {
  try {
    return why;
  } catch (const std::exception&) {
    return why.code;
  }
}

}  // namespace

bool PostedCalls::post(engine::Ticket ticket, Verb verb, std::string_view command,
                       Servers& servers, Slot slot, const engine::Waker& waker,
                       engine::Deadline until) {
  Call* call = nullptr;
  {
    base::MutexLock lock(mutex_);
    call = &add(ticket);
    call->verb = verb;
    call->waker = waker;
    call->sent = Clock::now();
    call->command = command;
  }
  if (servers.post(slot, *call, until)) return true;
  base::MutexLock lock(mutex_);
  put_away(calls_.find(ticket));
  return false;
}

PostedCalls::State PostedCalls::look(engine::Ticket ticket, Verb verb) const {
  if (count_.load() == 0) return State::none;
  base::MutexLock lock(mutex_);
  const auto found = calls_.find(ticket);
  if (found == calls_.end() || found->second.verb != verb) return State::none;
  return found->second.answered ? State::answered : State::under_way;
}

PostedCalls::Answer PostedCalls::answer(engine::Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const Call& call = calls_.find(ticket)->second;
  return {call.reply, call.why, call.sent};
}

PostedCalls::State PostedCalls::forget(engine::Ticket ticket) noexcept {
  if (count_.load() == 0) return State::none;
  engine::Waker waker;  // It is destroyed after the mutex is released.
  base::MutexLock lock(mutex_);
  const auto found = calls_.find(ticket);
  if (found == calls_.end()) return State::none;
  if (found->second.answered) {
    put_away(found);
    return State::answered;
  }
  // It makes room for the next call of its ticket.
  auto node = calls_.extract(found);
  node.key() = engine::Ticket{kForgotten | ++forgotten_};
  node.mapped().ticket = node.key();
  waker = std::move(node.mapped().waker);
  calls_.insert(std::move(node));
  return State::under_way;
}

void PostedCalls::ended(Call& call, const Result<void>& outcome) noexcept {
  engine::Waker waker;
  {
    base::MutexLock lock(mutex_);
    call.answered = true;
    if (!outcome) call.why = copy_of(outcome.error());
    waker = std::move(call.waker);
    if (waker == nullptr) put_away(calls_.find(call.ticket));
  }
  if (waker != nullptr) waker->ring();
}

PostedCalls::Call& PostedCalls::add(engine::Ticket ticket) {
  count_.fetch_add(1);
  spare_.reserve(kMostSpare);
  if (spare_.empty()) {
    Call& made = calls_.try_emplace(ticket, *this).first->second;
    made.ticket = ticket;
    return made;
  }
  auto node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = ticket;
  node.mapped().ticket = ticket;
  return calls_.insert(std::move(node)).position->second;
}

void PostedCalls::put_away(Table::iterator call) noexcept {
  count_.fetch_sub(1);
  auto node = calls_.extract(call);
  if (spare_.size() == kMostSpare) return;
  Call& used = node.mapped();
  used.reply.clear();
  used.answered = false;
  used.why.reset();
  used.waker.reset();
  spare_.push_back(std::move(node));
}

}  // namespace holdfast::redis
