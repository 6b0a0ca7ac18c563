// engines/redis/subscriptions.h - who listens to which channel. No I/O.
//
// Commands for the server are appended to `out`; what it says comes back by `take`.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/bells.h"
#include "engines/redis/reply.h"

namespace holdfast::redis {

struct Channel {
  enum class State { deaf, asked, hears };

  State state = State::deaf;
  bool gap = false;  // something may have been missed since somebody began to listen
  std::optional<Failure> refused;
  std::vector<std::shared_ptr<Listener>> listeners;
  base::CondVar changed;  // of `state` and `refused`

  std::list<std::string>::iterator idle_place;
  Clock::time_point idle_since;
};

// Not safe for concurrent use.
class Subscriptions {
 public:
  static constexpr std::size_t kMostIdle = 1000;
  static constexpr std::chrono::seconds kIdle{4};

  bool hears(const std::string& name) const;
  std::shared_ptr<Channel> listen(const std::string& name,
                                  std::shared_ptr<Listener> listener, std::string& out);
  // Gives back what was kept, for the caller to destroy without a lock.
  std::shared_ptr<Listener> forget(const std::string& name, const Listener& listener,
                                   Clock::time_point now, std::string& out);

  // Unsubscribes channels that have been idle for long, or are too many.
  void sweep(Clock::time_point now, std::string& out);

  void broke();                        // nothing is heard from now on
  void begin_again(std::string& out);  // on a new connection
  void tell_missed();                  // to everybody

  // Errc::incompatible: not what a server says to a subscriber.
  Result<void> take(ReplyView said);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>()(name);
    }
  };

  void ask(const std::string& name, Channel& channel, std::string& out);
  void answer(ReplyView said);

  std::unordered_map<std::string, std::shared_ptr<Channel>, Hash, std::equal_to<>>
      channels_;
  std::list<std::string> idle_;    // the longest idle first
  std::deque<std::string> asked_;  // SUBSCRIBE without an answer yet, in order
};

}  // namespace holdfast::redis
