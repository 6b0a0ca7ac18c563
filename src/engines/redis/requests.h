// engines/redis/requests.h - commands and their replies.
//
// A few connections, opened on demand. A caller that finds an idle one writes and reads
// by itself, without a thread hand-off. When all are busy, callers join the pipeline of
// one: its leader reads for everybody, and when it has its own answer, one of the
// others becomes the leader.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "engines/redis/options.h"
#include "engines/redis/reply.h"
#include "holdfast/engine/claim.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// Safe for concurrent use.
class Requests {
 public:
  static constexpr std::size_t kMostLinks = 8;

  // `reconnected` is called, from any thread and with no lock held, whenever a
  // connection was made after another one had broken: the server may have lost things.
  // `moved`, in the same way, when one was made after another had turned out to lead to
  // a replica: what else is connected should be made anew, too.
  Requests(Place place, std::function<void()> reconnected,
           std::function<void()> moved = nullptr, const RetryPolicy& retry = {});
  ~Requests();  // no call is under way
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  // `commands` holds as many encoded commands as there are replies. Fills `replies` in
  // order; an error *reply* is a reply. On failure, those that had come are filled.
  //
  // Errc::unavailable: nothing was sent. Errc::outcome_unknown: it may have been.
  // Errc::denied: name or password. Errc::incompatible, unsupported: this is not a
  // Redis that we can use. A deadline that has passed: sends, and does not wait
  // (outcome_unknown).
  Result<void> call(std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until);
  Result<Reply> call(std::string_view command, engine::Deadline until);

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace holdfast::redis
