// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/reply.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <utility>

namespace holdfast::redis {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostElements = 100'000;
constexpr std::size_t kMostLevels = 16;  // hiredis refuses a reply long before
constexpr std::size_t kUsualValues = 8;
constexpr std::size_t kMostReused = 1024;  // values, and bytes of texts

std::size_t level_of(const redisReadTask& task) noexcept {
  std::size_t level = 0;
  for (const auto* each = task.parent; each != nullptr; each = each->parent) ++level;
  return level;
}

}  // namespace

std::int64_t ReplyView::number() const noexcept {
  if (type() == Reply::Type::integer) return value_->number;
  const std::string_view digits = is_error() ? std::string_view() : text();
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc{} && rest == end ? number : 0;
}

std::string_view ReplyView::text() const noexcept {
  if (type() != Reply::Type::text && !is_error()) return {};
  return {texts_ + value_->number, value_->size};
}

std::size_t ReplyView::size() const noexcept { return is_array() ? value_->size : 0; }

ReplyView ReplyView::operator[](std::size_t index) const noexcept {
  const auto* const element =
      index < size() ? values_ + value_->number + index : nullptr;
  return {values_, texts_, element};
}

// hiredis calls these functions when it has come to a value. It takes what they return
// for the value, and does not look into it.
struct ReplyReader::State {
  using Type = Reply::Type;

  redisReader* reader = nullptr;
  redisReplyObjectFunctions functions{};
  std::size_t bytes = 0;  // bytes of the reply that is not yet complete
  Reply reply;            // that is not yet complete
  std::array<std::size_t, kMostLevels> path{};  // to the value at hand, by its levels

  static State& of(const redisReadTask* task) noexcept {
    return *static_cast<State*>(task->privdata);
  }

  Reply::Value& place_of(const redisReadTask& task) {
    const std::size_t level = level_of(task);
    if (level == 0) {
      reply.clear();
      reply.values_.reserve(kUsualValues);
      reply.values_.emplace_back();
      path[0] = 0;
    } else {
      const Reply::Value& parent = reply.values_[path.at(level - 1)];
      path.at(level) = static_cast<std::size_t>(parent.number + task.idx);
    }
    return reply.values_[path[level]];
  }

  // Calls `make`, and returns what hiredis takes for the value, or null if there is no
  // memory.
  template <class Make>
  static void* add(const redisReadTask* task, Make&& make) noexcept {
    State& self = of(task);
    try {
      return make(self, self.place_of(*task)) ? &self : nullptr;
    } catch (const std::exception&) {
      return nullptr;
    }
  }

  static void* add_string(const redisReadTask* task, char* text, std::size_t size) {
    return add(task, [&](State& self, Reply::Value& value) {
      auto& texts = self.reply.texts_;
      value = {task->type == REDIS_REPLY_ERROR ? Type::error : Type::text,
               static_cast<std::uint32_t>(size),
               static_cast<std::int64_t>(texts.size())};
      texts.insert(texts.end(), text, text + size);
      return true;
    });
  }

  // Refuses an array before the size that a hostile server announces is allocated.
  static void* add_array(const redisReadTask* task, int elements) {
    return add(task, [&](State& self, Reply::Value& value) {
      auto& values = self.reply.values_;
      const auto size = static_cast<std::size_t>(std::max(elements, 0));
      if (values.size() - 1 + size > kMostElements) return false;
      value = {Type::array, static_cast<std::uint32_t>(size),
               static_cast<std::int64_t>(values.size())};
      values.resize(values.size() + size);
      return true;
    });
  }

  static void* add_integer(const redisReadTask* task, long long number) {
    return add(task, [&](State&, Reply::Value& value) {
      value = {Type::integer, 0, number};
      return true;
    });
  }

  static void* add_nil(const redisReadTask* task) {
    return add(task, [](State&, Reply::Value&) { return true; });
  }
};

ReplyReader::ReplyReader() : state_(std::make_unique<State>()) {
  redisReader* const reader = redisReaderCreate();
  if (reader == nullptr) throw std::bad_alloc();
  state_->reader = reader;
  state_->functions = *reader->fn;
  state_->functions.createString = State::add_string;
  state_->functions.createArray = State::add_array;
  state_->functions.createInteger = State::add_integer;
  state_->functions.createNil = State::add_nil;
  state_->functions.freeObject = [](void*) {};
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
    return std::optional<Reply>(std::move(state_->reply));
  }
  if (state_->bytes > kMostBytes) {
    return Failure(Errc::incompatible, "the answer is too large");
  }
  return std::optional<Reply>();
}

void ReplyReader::reuse(Reply reply) noexcept {
  if (reply.values_.capacity() > kMostReused) return;
  if (reply.texts_.capacity() > kMostReused) return;
  state_->reply = std::move(reply);
}

}  // namespace holdfast::redis
