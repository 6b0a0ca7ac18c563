// SPDX-License-Identifier: Apache-2.0

// redis_fence.cc - the stock is kept in Redis, which turns a late holder away.
//
//   $ ./redis_fence 127.0.0.1 6379
//   second: 99 left
//   first: refused, token 1791234567890123 is stale: the fence "stock:1001:fence" has
//   seen 1791234568190456; acquire the lock again before you go on

#include <hiredis/hiredis.h>
#include <holdfast/holdfast.h>

#include <iostream>
#include <thread>

using namespace std::chrono_literals;

// Any client library would do: a command is a list of words.
std::string run(redisContext* redis, const std::vector<std::string>& words) {
  std::vector<const char*> texts;
  texts.reserve(words.size());
  for (const auto& word : words) texts.push_back(word.c_str());
  auto* reply = static_cast<redisReply*>(
      redisCommandArgv(redis, static_cast<int>(texts.size()), texts.data(), nullptr));
  if (reply == nullptr) throw std::runtime_error("Redis does not answer");
  const bool number = reply->type == REDIS_REPLY_INTEGER;
  std::string text = number ? std::to_string(reply->integer) : reply->str;
  freeReplyObject(reply);
  return text;
}

int main(int argc, char** argv) try {
  const std::string host = argc > 1 ? argv[1] : "127.0.0.1";
  const std::string port = argc > 2 ? argv[2] : "6379";
  const std::unique_ptr<redisContext, void (*)(redisContext*)> redis(
      redisConnect(host.c_str(), std::stoi(port)), redisFree);
  run(redis.get(), {"SET", "stock:1001", "100"});
  const auto fence = holdfast::RedisFence::of("stock:1001:fence").value();
  const auto sell = [&](holdfast::FencingToken token) {
    return run(redis.get(),
               fence.write(token, {"stock:1001"}, {"DECR", "stock:1001"}).value());
  };

  const std::string url = "redis://" + host + ":" + port;
  const auto lease = holdfast::LeaseOptions::fixed(200ms);
  holdfast::Mutex first(holdfast::Client::open(url).value(), "stock/1001", lease);
  holdfast::Mutex second(holdfast::Client::open(url).value(), "stock/1001", lease);
  const auto slow = first.acquire().value();  // its token is good until ...
  std::this_thread::sleep_for(300ms);         // ... another one was here
  const auto quick = second.acquire().value();
  std::cout << "second: " << sell(quick.token()) << " left\n";

  const auto why = holdfast::RedisFence::explain_error(sell(slow.token()));
  if (why) return 1;
  std::cout << "first: refused, " << why.error().message() << '\n';
  const auto left = run(redis.get(), {"GET", "stock:1001"});
  return left == "99" ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
