// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/subscriptions.h - the subscribers of each channel. It does no
// I/O.
//
// Commands for the server are appended to `out`; the server's messages come in by
// `handle`. In a cluster the channels are shard channels: each belongs to a slot, and
// the server ends the subscription when the slot leaves it.

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
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/options.h"
#include "engines/redis/transport/channels.h"
#include "engines/redis/transport/reply.h"

namespace holdfast::redis {

struct Channel {
  enum class State { none, requested, confirmed };

  State state = State::none;
  bool gap = false;  // A message may have been missed since a subscriber was added.
  std::optional<Failure> refused;
  std::vector<std::shared_ptr<ChannelListener>> subscribers;
  base::CondVar changed;  // signals changes of `state` and `refused`

  // Its name is here, or in the list of idle channels, so that it becomes idle without
  // memory.
  std::list<std::string> busy;
  std::list<std::string>::iterator position;
  Clock::time_point idle_since;
};

// A shard channel belongs to the slot of its name in a cluster.
enum class ChannelType { plain, shard };

// A call that throws, for want of memory, has asked the server for nothing by halves:
// `out` and the answers that are awaited still belong together. The class is not safe
// for concurrent use.
class Subscriptions {
 public:
  static constexpr std::size_t kMostIdle = 1000;
  static constexpr std::chrono::seconds kIdle{4};

  explicit Subscriptions(ServerName server,
                         ChannelType type = ChannelType::plain) noexcept
      : server_(std::move(server)),
        subscribe_(type == ChannelType::shard ? "SSUBSCRIBE" : "SUBSCRIBE"),
        unsubscribe_(type == ChannelType::shard ? "SUNSUBSCRIBE" : "UNSUBSCRIBE") {}

  bool is_confirmed(const std::string& name) const;
  std::shared_ptr<Channel> add(const std::string& name,
                               std::shared_ptr<ChannelListener> subscriber,
                               std::string& out);
  // Returns the subscriber that was kept, so that the caller destroys it without a
  // mutex.
  std::shared_ptr<ChannelListener> remove(const std::string& name,
                                          const ChannelListener& subscriber,
                                          Clock::time_point now,
                                          std::string& out) noexcept;

  // Unsubscribes from channels that have been idle for long, and from the oldest if too
  // many are idle. Without memory the next call does it.
  void sweep(Clock::time_point now, std::string& out) noexcept;

  void broke();                        // No message arrives from now on.
  void begin_again(std::string& out);  // subscribes again on a new connection
  void report_gap();                   // tells every subscriber of a gap
  // There will be no connection soon; every caller that waits for one is told why.
  void refuse(const Failure& why);

  // Errc::incompatible means that a server does not say this to a subscriber.
  Result<void> handle(ReplyView said);

  // Returns, once, whether the server has ended or refused a subscription because the
  // slot is elsewhere.
  bool take_misplaced() noexcept { return std::exchange(misplaced_, false); }

  // Removes the channels for which `is_elsewhere` is true, with their subscribers. A
  // caller that waits for a confirmation is refused. The other channels are subscribed
  // to again where the server has ended or refused it: the slot has come back.
  struct Moved {
    std::string name;
    std::vector<std::shared_ptr<ChannelListener>> subscribers;
  };
  std::vector<Moved> take(const std::function<bool(std::string_view)>& is_elsewhere,
                          std::string& out);
  // Adds what another server's subscriptions have lost. Each subscriber is told of a
  // gap once the server confirms; one that cannot be added, for want of memory, is told
  // at once, so that it looks for itself.
  void adopt(const Moved& moved, std::string& out) noexcept;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>()(name);
    }
  };

  void request(const std::string& name, Channel& channel, std::string& out);
  void answer(ReplyView said);
  void end(std::string_view name);
  void leave_idle(Channel& channel) noexcept;
  void become_idle(Channel& channel, std::list<std::string>::iterator before) noexcept;

  const ServerName server_;
  const std::string_view subscribe_;
  const std::string_view unsubscribe_;
  bool misplaced_ = false;
  std::unordered_map<std::string, std::shared_ptr<Channel>, Hash, std::equal_to<>>
      channels_;
  std::list<std::string> idle_;        // the longest idle first
  std::deque<std::string> requested_;  // the channels whose SUBSCRIBE has no answer
                                       // yet, in order
};

}  // namespace holdfast::redis
