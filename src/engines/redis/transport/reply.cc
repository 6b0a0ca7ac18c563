// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/reply.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace holdfast::redis {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostElements = 100'000;

}  // namespace

bool ReplyView::is_nil() const noexcept {
  return reply_ == nullptr || reply_->type == REDIS_REPLY_NIL;
}

bool ReplyView::is_error() const noexcept {
  return reply_ != nullptr && reply_->type == REDIS_REPLY_ERROR;
}

bool ReplyView::is_array() const noexcept {
  return reply_ != nullptr && reply_->type == REDIS_REPLY_ARRAY;
}

std::int64_t ReplyView::number() const noexcept {
  if (reply_ != nullptr && reply_->type == REDIS_REPLY_INTEGER) return reply_->integer;
  const std::string_view digits = is_error() ? std::string_view() : text();
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc{} && rest == end ? number : 0;
}

std::string_view ReplyView::text() const noexcept {
  if (reply_ == nullptr || reply_->str == nullptr) return {};
  return {reply_->str, reply_->len};
}

std::size_t ReplyView::size() const noexcept {
  return is_array() ? reply_->elements : 0;
}

ReplyView ReplyView::operator[](std::size_t index) const noexcept {
  return ReplyView(index < size() ? reply_->element[index] : nullptr);
}

void Reply::Free::operator()(redisReply* reply) const noexcept {
  freeReplyObject(reply);
}

struct ReplyReader::State {
  redisReader* reader = nullptr;
  redisReplyObjectFunctions functions{};
  void* (*create_array)(const redisReadTask*, int) = nullptr;
  std::size_t bytes = 0;     // bytes of the reply that is not yet complete
  std::size_t elements = 0;  // elements of the same reply

  // Refuses an array before hiredis allocates the size that a hostile server announces.
  static void* create(const redisReadTask* task, int elements) {
    auto& self = *static_cast<State*>(task->privdata);
    self.elements += static_cast<std::size_t>(std::max(elements, 0));
    return self.elements > kMostElements ? nullptr : self.create_array(task, elements);
  }
};

ReplyReader::ReplyReader() : state_(std::make_unique<State>()) {
  redisReader* const reader = redisReaderCreate();
  if (reader == nullptr) throw std::bad_alloc();
  state_->reader = reader;
  state_->functions = *reader->fn;
  state_->create_array = std::exchange(state_->functions.createArray, State::create);
  reader->fn = &state_->functions;
  reader->privdata = state_.get();
}

ReplyReader::~ReplyReader() { redisReaderFree(state_->reader); }

Result<void> ReplyReader::feed(std::string_view bytes) {
  state_->bytes += bytes.size();
  if (redisReaderFeed(state_->reader, bytes.data(), bytes.size()) == REDIS_OK) {
    return {};
  }
  return Failure(Errc::incompatible, "the answer cannot be read");
}

Result<std::optional<Reply>> ReplyReader::next() {
  redisReader* const reader = state_->reader;
  void* got = nullptr;
  if (redisReaderGetReply(reader, &got) != REDIS_OK) {
    const bool too_large = reader->err == REDIS_ERR_OOM;
    return Failure(Errc::incompatible, too_large ? "the answer is too large"
                                                 : "this is no answer of Redis");
  }
  if (got != nullptr) {
    state_->bytes = reader->len - reader->pos;
    state_->elements = 0;
    return std::optional<Reply>(Reply(static_cast<redisReply*>(got)));
  }
  if (state_->bytes > kMostBytes) {
    return Failure(Errc::incompatible, "the answer is too large");
  }
  return std::optional<Reply>();
}

}  // namespace holdfast::redis
