// SPDX-License-Identifier: Apache-2.0

#include "run/acquiring.h"

#include <utility>

#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"

namespace holdfast::cli {
namespace {

using engine::Kind;

using Taken = Result<std::unique_ptr<RunHold>>;

class Leadership final : public RunHold {
 public:
  Leadership(const Client& client, const RunOptions& options)
      : election_(client, options.name, options.lease) {}

  Result<void> take(const WaitOptions& how) { return election_.campaign({}, how); }

  FencingToken token() const noexcept override { return election_.token(); }
  std::stop_token lost() const noexcept override { return election_.lost(); }
  std::chrono::nanoseconds valid_for() const noexcept override {
    return election_.valid_for();
  }
  Result<void> release() noexcept override { return election_.resign(); }

 private:
  Election election_;
};

template <class H>
Taken keep(Result<H> hold) {
  if (!hold) return std::move(hold).error();
  return Taken(std::make_unique<LockRunHold>(*std::move(hold)));
}

}  // namespace

Taken acquire(const Client& client, const RunOptions& options, const WaitOptions& how) {
  const std::string& name = options.name;
  const LeaseOptions& lease = options.lease;
  switch (options.kind) {
    case Kind::fair_mutex:
      return keep(FairMutex(client, name, lease).acquire(how));
    case Kind::shared_mutex: {
      SharedMutex mutex(client, name, lease);
      return keep(options.mode == engine::Mode::shared ? mutex.acquire_shared(how)
                                                       : mutex.acquire(how));
    }
    case Kind::semaphore: {
      Semaphore semaphore(client, name, options.permits, lease);
      // The first run that states a number of permits fixes it for all.
      if (const auto agreed = semaphore.init_permits(options.permits);
          !agreed.has_value()) {
        return agreed.error();
      }
      return keep(semaphore.acquire(how));
    }
    case Kind::election: {
      auto leadership = std::make_unique<Leadership>(client, options);
      if (auto taken = leadership->take(how); !taken) return std::move(taken).error();
      return Taken(std::move(leadership));
    }
    default:
      return keep(Mutex(client, name, lease).acquire(how));
  }
}

}  // namespace holdfast::cli
