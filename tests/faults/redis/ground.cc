#include "faults/redis/ground.h"

#include "conformance/claim_lock.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

bool is_token(std::string_view key) {
  return key.starts_with("redisson_lock_token:") ||
         key.starts_with("holdfast_election_token:");
}

}  // namespace

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
    if (number == 0) return left_behind(server).empty();
    seen = resource->survey(number + 1, soon()).value().size();
    return seen == number;
  });
  if (met) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << seen << " claims, and there are: " << left_behind(server);
}

}  // namespace holdfast::test
