#include "faults/redis/ground.h"

#include <stdexcept>
#include <utility>

#include "holdfast/mutex.h"

namespace holdfast::test {

namespace {

bool is_token(std::string_view key) {
  return key.starts_with("redisson_lock_token:") ||
         key.starts_with("holdfast_election_token:");
}

}  // namespace

Client open_quietly(const std::string& url, std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};
  return Client::open(url, std::move(options));
}

Failure first_failure(const std::string& url) {
  ClientOptions options;
  options.log = [](LogLevel, std::string_view) {};
  auto client = Client::try_open(url, std::move(options));
  if (!client) return client.error();
  const auto hold = Mutex(*client, "first").acquire({.wait = Timeout::zero()});
  if (!hold) return hold.error();
  throw std::logic_error("it works");
}

std::string left_behind(const RedisServer& server, const std::set<std::string>& but) {
  RedisSocket redis(server.port());
  std::string all;
  for (const Resp& key : redis.call({"KEYS", "*"}).items) {
    if (but.contains(key.text) || is_token(key.text)) continue;
    if (key.text.starts_with("holdfast")) {
      const std::string note = redis.call({"GET", key.text}).text;
      if (note == "x" || note.starts_with("v|")) continue;
    }
    all += (all.empty() ? "" : " ") + key.text;
  }
  return all;
}

bool is_one_sentence(const std::string& message) {
  return message.size() > 10 && message.size() < 400 &&
         message.find_first_of("\r\n") == std::string::npos;
}

}  // namespace holdfast::test
