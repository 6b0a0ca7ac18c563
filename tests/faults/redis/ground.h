// tests/faults/redis/ground.h - what the tests of a broken Redis have in common.

#pragma once

#include <chrono>
#include <set>
#include <string>

#include "holdfast/client.h"
#include "support/redis_server.h"
#include "support/scale.h"

namespace holdfast::test {

// A client that keeps its warnings to itself: trouble is expected here.
Client open_quietly(const std::string& url,
                    std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30)));

// What a user meets who opens `url` and locks one name: the first thing that fails.
// Throws std::logic_error when nothing does.
Failure first_failure(const std::string& url);

// The keys in database 0 that nobody needs any more, separated by blanks. Needed are
// `but`, fencing tokens, and for some minutes the notes that make a late packet
// harmless: "given up", and the outcome of a change to a register.
std::string left_behind(const RedisServer& server,
                        const std::set<std::string>& but = {});

// Whether a message is one line that says something.
bool is_one_sentence(const std::string& message);

// Repeats a call of the waist until its outcome is known.
template <class Call>
auto persist(Call call) {
  const auto end = Clock::now() + patience();
  auto result = call(end);
  while (!result && Clock::now() < end &&
         (result.error().code == Errc::outcome_unknown ||
          result.error().code == Errc::unavailable)) {
    result = call(end);
  }
  return result;
}

}  // namespace holdfast::test
