// SPDX-License-Identifier: Apache-2.0

// holdfast/shared_count.h - a number with a version, and news of its changes.
//
//   holdfast::SharedCount limit(client, "limit", 100);
//   auto seen = limit.get();
//   auto set = limit.compare_exchange(*seen, seen->number + 1);   // if unchanged
//   if (set && !set->done) retry(set->now);
//
//   auto news = limit.on_change(
//       [](const holdfast::Versioned& now) { use(now.number); });
//
// Every change gives a new version, so a number that changed and changed back can be
// told from one that did not change: this is optimistic locking with a version column.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/result.h"
#include "holdfast/subscription.h"

namespace holdfast::inline v0 {

// The version is zero while no client has set the count; the number is then the seed.
struct Versioned {
  std::int64_t number = 0;
  std::uint64_t version = 0;
  bool operator==(const Versioned&) const = default;
};

// A SharedCount is safe for concurrent use. The constructor reports no error: a name
// that is not allowed makes every later call fail.
//
// A change is made once, even if a reply is lost: the request is retried, and the
// engine recognises it. These errors concern all changes:
//   * Errc::outcome_unknown: no reply came for as long as a lease, and the change may
//     or may not have been made; the version that `get` returns tells.
//   * Errc::bad_argument: the number does not fit into the engine's layout, which is
//     narrower than 64 bits on some engines.
class HOLDFAST_EXPORT SharedCount {
 public:
  // `seed` is what this object reads until a client sets the count.
  SharedCount(Client client, std::string name, std::int64_t seed = 0);
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  ~SharedCount();

  Result<Versioned> get();

  // Sets the count if it has not changed since it was `seen`. If `done` is false,
  // another client was faster. `now` is the count after the call; try again from there.
  struct Set {
    bool done;
    Versioned now;
  };
  Result<Set> compare_exchange(const Versioned& seen, std::int64_t number);

  // Sets the count, whatever it is, and returns it with its new version.
  Result<Versioned> set(std::int64_t number);

  // Do the same without a thread that waits; see holdfast/completion.h.
  void get_async(Completion<Versioned> done);
  void compare_exchange_async(const Versioned& seen, std::int64_t number,
                              Completion<Set> done);
  void set_async(std::int64_t number, Completion<Versioned> done);

  // Calls `listener` after every change from now on. Of several changes that come close
  // together, it may be told only the last. Errors are those of `get`.
  Result<Subscription> on_change(std::function<void(const Versioned&)> listener,
                                 Executor executor = {});

  // Does the same without a thread that waits for the first look at the count: changes
  // from the completion on are told.
  void on_change_async(std::function<void(const Versioned&)> listener,
                       Executor executor, Completion<Subscription> done);

  std::string_view name() const noexcept;

 private:
  class Impl;
  class Subscribing;
  std::shared_ptr<Impl> impl_;  // shared with the subscriptions
};

}  // namespace holdfast::inline v0
