// SPDX-License-Identifier: Apache-2.0

#include "holdfast/locked.h"

#include "base/common_failures.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"

namespace holdfast::inline v0::detail {
namespace {

std::string name_of(const std::string& prefix, std::string_view key) {
  std::string name = prefix;
  if (!name.empty() && !key.empty()) name += ':';
  return name.append(key);
}

Result<Hold> without_side(Result<SharedHold> hold) {
  if (!hold) return std::move(hold).error();
  return Hold(*std::move(hold));
}

}  // namespace

Result<Hold> lock_for_call(const Client& client, const LockedOptions& options,
                           std::string_view key) {
  const std::string name = name_of(options.prefix, key);
  const WaitOptions wait{.wait = options.wait, .stop = options.stop};
  switch (options.type) {
    case LockType::mutex:
      return Mutex(client, name, options.lease).acquire(wait);
    case LockType::fair:
      return FairMutex(client, name, options.lease).acquire(wait);
    case LockType::shared:
      return without_side(
          SharedMutex(client, name, options.lease).acquire_shared(wait));
    case LockType::exclusive:
      return without_side(SharedMutex(client, name, options.lease).acquire(wait));
  }
  return Failure(Errc::bad_argument,
                 base::in_quotes(name) + " is to be locked as LockType " +
                     std::to_string(static_cast<int>(options.type)) +
                     ", which does not exist: use one of the four of locked.h");
}

}  // namespace holdfast::inline v0::detail
