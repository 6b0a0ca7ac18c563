// SPDX-License-Identifier: Apache-2.0

#include "stores/redis_till.h"

#include <cstdlib>

#include "places.h"

namespace holdfast::shop {
namespace {

const std::string kFenceKey = "{shop}fence";

constexpr const char* kTakeOne =
    "if tonumber(redis.call('get', KEYS[1])) > 0 then "
    "  redis.call('decr', KEYS[1]) return 1 "
    "end return 0";

constexpr const char* kWriteFenced =
    "if tonumber(redis.call('get', KEYS[2]) or '0') > tonumber(ARGV[2]) then return 0 "
    "end "
    "redis.call('set', KEYS[1], ARGV[1]) redis.call('set', KEYS[2], ARGV[2]) return 1";

[[noreturn]] void no_rows() {
  throw StoreError("Redis has neither versions nor locks of what was read");
}

}  // namespace

const std::string RedisTill::kStockKey = "{shop}stock";

RedisTill::RedisTill(const Places& places) : redis_(places.redis) {}

void RedisTill::fill(int count) {
  redis_.set(kStockKey, std::to_string(count));
  redis_.del(kFenceKey);
}

Stock RedisTill::read() {
  const auto text = redis_.get(kStockKey);
  if (!text) throw StoreError("Redis has no stock");
  return {.count = std::atoi(text->c_str())};
}

void RedisTill::write(int count) { redis_.set(kStockKey, std::to_string(count)); }

bool RedisTill::take_one() { return redis_.eval(kTakeOne, {kStockKey}, {}) == 1; }

bool RedisTill::write_if(const Stock&) { no_rows(); }

bool RedisTill::write_fenced(int count, std::uint64_t token) {
  return redis_.eval(kWriteFenced, {kStockKey, kFenceKey},
                     {std::to_string(count), std::to_string(token)}) == 1;
}

void RedisTill::begin() { no_rows(); }

Stock RedisTill::read_alone() { no_rows(); }

Stock RedisTill::read_shared() { no_rows(); }

void RedisTill::commit() { no_rows(); }

}  // namespace holdfast::shop
