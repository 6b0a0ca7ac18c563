// holdfast/shared_count.h - a number with a version, and news of its changes.
//
//   holdfast::SharedCount limit(client, "limit", 100);
//   auto seen = limit.get();
//   auto set = limit.try_set(*seen, seen->number + 1);      // if nobody was faster
//   if (set && !set->done) retry(set->now);
//
//   auto news = limit.on_change(
//       [](const holdfast::Versioned& now) { use(now.number); });
//
// Every change gives a new version, so that a number that changed and changed back is
// told apart: this is the optimistic lock with a version column.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/result.h"
#include "holdfast/subscription.h"

namespace holdfast {

struct Versioned {
  std::int64_t number = 0;
  std::uint64_t version = 0;  // zero: nobody has set it, and the number is the seed
  bool operator==(const Versioned&) const = default;
};

// Safe for concurrent use. A change is made once, also when the first answer was lost
// on its way. Errc::outcome_unknown: no answer came for as long as a lease, and the
// change may have been made; the version that `get` gives tells. Where an engine's
// layout is narrower than 64 bits, what does not fit is Errc::bad_argument.
class HOLDFAST_EXPORT SharedCount {
 public:
  // `seed` is what this object reads until somebody sets the count.
  SharedCount(Client client, std::string name, std::int64_t seed = 0);
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  ~SharedCount();

  Result<Versioned> get();

  struct Set {
    bool done;      // false: somebody was faster
    Versioned now;  // what is there
  };
  // If it still is as it was `seen`.
  Result<Set> try_set(const Versioned& seen, std::int64_t number);

  // Whatever it is.
  Result<Versioned> set(std::int64_t number);

  // Tells every change from now on; where several come close together, the last of
  // them.
  Result<Subscription> on_change(std::function<void(const Versioned&)> listener,
                                 Executor executor = {});

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // also of what listens
};

}  // namespace holdfast
