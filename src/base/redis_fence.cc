// SPDX-License-Identifier: Apache-2.0

#include "holdfast/redis_fence.h"

#include "base/common_failures.h"

namespace holdfast::inline v0 {
namespace {

// Lua's numbers end at 2^53, so the tokens are compared as text; their digits have no
// leading zeros. A command that fails does not take the token back: the holder was
// admitted.
constexpr const char* kScript = R"lua(
-- KEYS fence keys...
-- ARGV token remember command...
local token, last = ARGV[1], redis.call('get', KEYS[1])
if last and not string.find(last, '^%d+$') then
  return redis.error_reply(
    'NOTOKEN the key "' .. KEYS[1] ..
    '" of the fence holds something else than a token: name a key of its own')
end
if last and (#last > #token or (#last == #token and last > token)) then
  return redis.error_reply(
    'STALETOKEN token ' .. token .. ' is stale: the fence "' .. KEYS[1] ..
    '" has seen ' .. last .. '; acquire the lock again before you go on')
end
if ARGV[2] == '1' and last ~= token then redis.call('set', KEYS[1], token) end
return redis.call(unpack(ARGV, 3))
)lua";

// Some clients show an error reply with its type character.
std::string_view without_dash(std::string_view reply) noexcept {
  return reply.starts_with('-') ? reply.substr(1) : reply;
}

}  // namespace

Result<RedisFence> RedisFence::of(std::string_view key) {
  if (key.empty()) {
    return Failure(Errc::bad_argument,
                   "the key of a Redis fence is empty: name a key beside the data");
  }
  return RedisFence(key);
}

Result<RedisFence::Words> RedisFence::read(FencingToken token, const Words& keys,
                                           const Words& command) const {
  return fenced(true, token, keys, command);
}

Result<RedisFence::Words> RedisFence::write(FencingToken token, const Words& keys,
                                            const Words& command) const {
  return fenced(true, token, keys, command);
}

Result<RedisFence::Words> RedisFence::read_shared(FencingToken token, const Words& keys,
                                                  const Words& command) const {
  return fenced(false, token, keys, command);
}

Result<RedisFence::Words> RedisFence::fenced(bool remember, FencingToken token,
                                             const Words& keys,
                                             const Words& command) const {
  if (!token) return base::empty_token("the fence " + base::in_quotes(key_));
  if (command.empty()) {
    return Failure(Errc::bad_argument,
                   "there is no command to run behind the fence \"" + key_ +
                       "\": name it and its arguments");
  }
  Words words{"EVAL", kScript, std::to_string(keys.size() + 1), key_};
  words.insert(words.end(), keys.begin(), keys.end());
  words.push_back(std::to_string(token.value));
  words.emplace_back(remember ? "1" : "0");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Result<void> RedisFence::explain_error(std::string_view reply) {
  constexpr std::string_view kStale = "STALETOKEN ";
  constexpr std::string_view kNoToken = "NOTOKEN ";
  const std::string_view text = without_dash(reply);
  if (text.starts_with(kStale)) {
    return Failure(Errc::stale_token, std::string(text.substr(kStale.size())));
  }
  if (text.starts_with(kNoToken)) {
    return Failure(Errc::bad_argument, std::string(text.substr(kNoToken.size())));
  }
  return {};
}

}  // namespace holdfast::inline v0
