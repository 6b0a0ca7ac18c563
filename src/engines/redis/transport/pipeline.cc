// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/pipeline.h"

#include <algorithm>
#include <utility>

namespace holdfast::redis {

Request* Pipeline::first() const noexcept { return first_; }

bool Pipeline::idle() const noexcept { return first_ == nullptr && orphans_ == 0; }

bool Pipeline::all_sent() const noexcept {
  return tail_.empty() && to_send_ == nullptr;
}

Request* Pipeline::take_ended() noexcept { return std::exchange(ended_, nullptr); }

void Pipeline::append(Request& request) noexcept {
  request.previous = last_;
  (last_ != nullptr ? last_->next : first_) = &request;
  last_ = &request;
  if (to_send_ == nullptr) to_send_ = &request;
}

std::span<const std::string_view> Pipeline::unsent() noexcept {
  std::size_t count = 0;
  if (!tail_.empty()) texts_[count++] = tail_;
  for (const Request* each = to_send_; each != nullptr && count < texts_.size();
       each = each->next) {
    texts_[count++] = each->unsent;
  }
  return std::span(texts_).first(count);
}

void Pipeline::sent(std::size_t bytes, std::uint64_t reads_before) noexcept {
  const std::size_t of_tail = std::min(bytes, tail_.size());
  tail_.erase(0, of_tail);
  bytes -= of_tail;
  while (bytes > 0) {
    Request& request = *to_send_;
    if (!std::exchange(request.sent, true)) request.reads_before = reads_before;
    const std::size_t mine = std::min(bytes, request.unsent.size());
    request.unsent.remove_prefix(mine);
    bytes -= mine;
    if (request.unsent.empty()) to_send_ = request.next;
  }
}

bool Pipeline::accept(Reply& reply) noexcept {
  if (orphans_ > 0) {
    --orphans_;
    return true;
  }
  if (first_ == nullptr || !first_->sent) return false;
  std::swap(first_->replies[first_->filled++], reply);
  if (first_->filled == first_->replies.size()) finish(*first_, Request::End::answered);
  return true;
}

void Pipeline::abandon(Request& request) {
  if (request.sent) {
    if (!request.unsent.empty()) tail_ = request.unsent;
    request.orphans += request.replies.size() - request.filled;
  }
  const auto end = request.sent ? Request::End::lost : Request::End::unsent;
  request.posting != nullptr ? finish(request, end) : remove(request, end);
}

void Pipeline::refuse(Request& request, Failure why) noexcept {
  request.why = std::move(why);
  finish(request, Request::End::unsent);
}

void Pipeline::break_off(const Failure& why) {
  while (first_ != nullptr && first_->sent) {
    first_->why = why;
    finish(*first_, Request::End::lost);
  }
  orphans_ = 0;
  tail_.clear();
}

void Pipeline::finish(Request& request, Request::End end) noexcept {
  remove(request, end);
  request.also_ended = std::exchange(ended_, &request);
}

void Pipeline::remove(Request& request, Request::End end) noexcept {
  Request* const previous = request.previous;
  Request* const next = request.next;
  (previous != nullptr ? previous->orphans : orphans_) += request.orphans;
  (previous != nullptr ? previous->next : first_) = next;
  (next != nullptr ? next->previous : last_) = previous;
  if (to_send_ == &request) to_send_ = next;
  request.end = end;
}

}  // namespace holdfast::redis
