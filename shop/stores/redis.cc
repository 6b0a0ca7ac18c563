// SPDX-License-Identifier: Apache-2.0

#include "stores/redis.h"

#include "stores/stock.h"

namespace holdfast::shop {

Redis::Redis(std::uint16_t port)
    : port_(port), context_(redisConnect("127.0.0.1", port)) {
  if (!context_ || context_->err != 0) {
    throw StoreError(std::string("Redis: ") +
                     (context_ ? context_->errstr : "out of memory"));
  }
}

Redis::Reply Redis::run(const Words& command) {
  std::vector<const char*> words;
  std::vector<std::size_t> sizes;
  for (const std::string& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  Reply reply(static_cast<redisReply*>(redisCommandArgv(
      context_.get(), static_cast<int>(words.size()), words.data(), sizes.data())));
  if (!reply) throw StoreError(std::string("Redis: ") + context_->errstr);
  if (reply->type == REDIS_REPLY_ERROR) {
    throw StoreError("Redis: " + std::string(reply->str, reply->len));
  }
  return reply;
}

bool Redis::set_if_absent(const std::string& key, const std::string& value) {
  return run({"SETNX", key, value})->integer == 1;
}

bool Redis::set_if_absent(const std::string& key, const std::string& value,
                          std::chrono::milliseconds expiry) {
  return run({"SET", key, value, "NX", "PX", std::to_string(expiry.count())})->type !=
         REDIS_REPLY_NIL;
}

void Redis::set(const std::string& key, const std::string& value) {
  run({"SET", key, value});
}

std::optional<std::string> Redis::get(const std::string& key) {
  const Reply reply = run({"GET", key});
  if (reply->type == REDIS_REPLY_NIL) return std::nullopt;
  return std::string(reply->str, reply->len);
}

void Redis::del(const std::string& key) { run({"DEL", key}); }

std::string Redis::command(const Words& words) {
  const Reply reply = run(words);
  return reply->str == nullptr ? "" : std::string(reply->str, reply->len);
}

long long Redis::eval(const std::string& script, const Words& keys,
                      const Words& arguments) {
  Words command = {"EVAL", script, std::to_string(keys.size())};
  command.insert(command.end(), keys.begin(), keys.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Reply reply = run(command);
  return reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
}

void Redis::watch(const std::string& key) { run({"WATCH", key}); }

void Redis::unwatch() { run({"UNWATCH"}); }

bool Redis::exec(const Words& command) {
  run({"MULTI"});
  run(command);
  return run({"EXEC"})->type != REDIS_REPLY_NIL;
}

}  // namespace holdfast::shop
