// SPDX-License-Identifier: Apache-2.0

#include "stores/redis_stock.h"

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

const std::string RedisStock::kStockKey = "{shop}stock";

RedisStock::RedisStock(const Places& places) : redis_(places.redis) {}

void RedisStock::fill(int count) {
  redis_.set(kStockKey, std::to_string(count));
  redis_.del(kFenceKey);
}

Stock RedisStock::read() {
  const auto text = redis_.get(kStockKey);
  if (!text) throw StoreError("Redis has no stock");
  return {.count = std::atoi(text->c_str())};
}

void RedisStock::write(int count) { redis_.set(kStockKey, std::to_string(count)); }

bool RedisStock::take_one() { return redis_.eval(kTakeOne, {kStockKey}, {}) == 1; }

bool RedisStock::write_if(const Stock&) { no_rows(); }

bool RedisStock::write_fenced(int count, std::uint64_t token) {
  return redis_.eval(kWriteFenced, {kStockKey, kFenceKey},
                     {std::to_string(count), std::to_string(token)}) == 1;
}

void RedisStock::begin() { no_rows(); }

Stock RedisStock::read_alone() { no_rows(); }

Stock RedisStock::read_shared() { no_rows(); }

void RedisStock::commit() { no_rows(); }

}  // namespace holdfast::shop
