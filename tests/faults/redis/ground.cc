// SPDX-License-Identifier: Apache-2.0

#include "faults/redis/ground.h"

#include <array>
#include <optional>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

bool is_token(std::string_view key) {
  return key.starts_with("redisson_lock_token:") ||
         key.starts_with("holdfast_election_token:");
}

// The key of a number stays.
bool has_number(engine::Kind kind) {
  using engine::Kind;
  return kind == Kind::semaphore || kind == Kind::counter || kind == Kind::shared_count;
}

// These commands are sent by clients and not called by scripts.
const std::set<std::string_view> kByClients{
    "auth", "client", "config", "eval",   "evalsha",   "hello",
    "info", "ping",   "script", "select", "subscribe", "unsubscribe"};

constexpr std::size_t kClaimsEach = 5;

// One thread's claims on mutexes of its own.
class Renewer {
 public:
  Renewer(const Client& client, std::size_t number) : client_(client) {
    for (std::size_t i = 0; i < kClaimsEach; ++i) {
      const std::string name = std::to_string(number) + "." + std::to_string(i);
      locks_[i].emplace(client, engine::Address{engine::Kind::mutex, name});
      EXPECT_TRUE(locks_[i]->acquire({.wait = patience()}));
    }
  }

  void renew() {
    std::vector<engine::ClaimRef> refs;
    for (auto& each : locks_) refs.push_back({&each->resource(), &each->claim()});
    EXPECT_TRUE(client_.session().renew(refs, soon()));
    for (const engine::ClaimRef& each : refs) {
      EXPECT_FALSE(each.outcome) << each.outcome.message();
    }
  }

  void take_anew(std::size_t which) {
    EXPECT_TRUE(locks_[which]->release());
    EXPECT_TRUE(locks_[which]->acquire({.wait = patience()}));
  }

 private:
  const Client& client_;
  std::array<std::optional<ClaimLock>, kClaimsEach> locks_;
};

}  // namespace

long calls_in_scripts(const RedisServer& server) {
  const std::string stats = server.command({"INFO", "commandstats"});
  long sum = 0;
  for (std::size_t at = 0; (at = stats.find("cmdstat_", at)) != std::string::npos;) {
    const std::size_t colon = stats.find(':', at += 8);
    const std::string_view name(stats.data() + at, colon - at);
    if (kByClients.contains(name.substr(0, name.find('|')))) continue;
    sum += std::stol(stats.substr(colon + sizeof ":calls=" - 1));
  }
  return sum;
}

void expect_renewals_side_by_side(const Client& client) {
  std::vector<std::jthread> threads;
  for (std::size_t number = 0; number < 4; ++number) {
    threads.emplace_back([&client, number] {
      Renewer renewer(client, number);
      for (std::size_t round = 0; round < 20; ++round) {
        renewer.renew();
        renewer.take_anew(round % kClaimsEach);
      }
    });
  }
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

testing::AssertionResult has_claims(const RedisServer& server,
                                    const engine::Address& at, std::size_t number) {
  const Client observer = open_quietly(server.url());
  const auto resource = observer.session().bind(at).value();
  std::size_t seen = 0;
  const bool met = eventually([&] {
    if (number == 0 && !has_number(at.kind)) return left_behind(server).empty();
    seen = resource->survey(number + 1, soon()).value().size();
    return seen == number;
  });
  if (met) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << seen << " claims, and there are: " << left_behind(server);
}

int RedisGround::calls() const {
  auto passed = line_.passed();
  return passed["EVALSHA"] + passed["EVAL"];
}

LostCalls RedisGround::lost_calls() {
  return {bad_line_, [this] { return calls(); },
          [this](const std::string& name, const Hold&) {
            EXPECT_EQ(server_.command({"HLEN", name}), "1");
          }};
}

}  // namespace holdfast::test
