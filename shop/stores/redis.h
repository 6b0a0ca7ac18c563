// SPDX-License-Identifier: Apache-2.0

// shop/stores/redis.h - a plain connection to Redis, as a home-made lock uses it.
//
//   Redis redis(6379);
//   bool ours = redis.set_if_absent("lock", "me", 10s);
//   redis.eval("return redis.call('get', KEYS[1])", {"lock"}, {});

#pragma once

#include <hiredis/hiredis.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::shop {

// It is not safe for concurrent use. Every member throws StoreError.
class Redis {
 public:
  using Words = std::vector<std::string>;

  explicit Redis(std::uint16_t port);

  std::uint16_t port() const noexcept { return port_; }

  bool set_if_absent(const std::string& key, const std::string& value);
  bool set_if_absent(const std::string& key, const std::string& value,
                     std::chrono::milliseconds expiry);
  void set(const std::string& key, const std::string& value);
  std::optional<std::string> get(const std::string& key);
  void del(const std::string& key);

  // Runs any command, and returns its answer if that is a text.
  std::string command(const Words& words);

  // Returns the script's number; nil is 0.
  long long eval(const std::string& script, const Words& keys, const Words& arguments);

  void watch(const std::string& key);
  void unwatch();
  // Runs one command in MULTI and EXEC. Returns whether nothing watched had changed.
  bool exec(const Words& command);

 private:
  struct CloseRedis {
    void operator()(redisContext* context) const noexcept { redisFree(context); }
  };
  struct FreeReply {
    void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
  };
  using Reply = std::unique_ptr<redisReply, FreeReply>;

  Reply run(const Words& command);

  std::uint16_t port_;
  std::unique_ptr<redisContext, CloseRedis> context_;
};

}  // namespace holdfast::shop
