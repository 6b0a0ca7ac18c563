// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/slots.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "engines/local/errors.h"
#include "engines/local/memory/heap.h"
#include "engines/local/memory/liveness_fd.h"
#include "engines/local/memory/process.h"
#include "engines/local/memory/segment_file.h"

namespace holdfast::local {
namespace {

constexpr auto kJoinLimit = std::chrono::seconds(5);

Result<void> agree_on_boot(Segment& segment) {
  const auto boot = boot_id();
  if (!boot) return boot.error();
  if (segment.header().boot == *boot) return {};
  const auto others = others_present(segment);
  if (!others.has_value()) return others.error();
  if (*others)
    return Failure(Errc::incompatible,
                   segment.path() +
                       " is in use by processes that see another boot id in " +
                       kBootIdFile +
                       ": give this container the host's own file, or name another "
                       "path in the URL");
  if (auto begun = Heap(segment).start_afresh(); !begun) return begun.error();
  segment.header().boot = *boot;
  return {};
}

}  // namespace

Result<JoinLock> JoinLock::take(Segment& segment) {
  const auto limit = Clock::now() + kJoinLimit;
  while (::flock(segment.fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return os_failure("lock", segment.path(), errno);
    if (Clock::now() > limit)
      return Failure(Errc::unavailable, "another process has been opening " +
                                            segment.path() +
                                            " for too long: let it go on if it is "
                                            "stopped, or end it");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  JoinLock joining(segment);
  if (auto same = agree_on_boot(segment); !same) return same.error();
  if (auto shown = show_presence(segment); !shown) return shown.error();
  return joining;
}

JoinLock::JoinLock(JoinLock&& other) noexcept
    : segment_(std::exchange(other.segment_, nullptr)) {}

JoinLock::~JoinLock() {
  if (segment_ != nullptr) ::flock(segment_->fd(), LOCK_UN);
}

Result<SessionId> JoinLock::reserve(const engine::SessionOptions& options) {
  for (std::uint32_t i = 1; i < kSlots; ++i) {
    auto& slot = segment_->slot(static_cast<SlotIndex>(i));
    if (slot.live.load() != 0) continue;
    slot.liveness.store(0);
    slot.control.store(0);
    slot.has_liveness_fd.store(0);
    slot.payload.store(0);
    slot.ready.store(0);
    slot.pid.store(static_cast<std::uint32_t>(::getpid()));
    slot.client = options.client;
    slot.gone.store(0);
    slot.died.store(0);
    slot.born.store(own_birth());
    slot.epoch.store(slot.epoch.load() + 1);
    const auto id = session_id(static_cast<SlotIndex>(i), slot.epoch.load());
    slot.id.store(id);
    return id;
  }
  return Failure(Errc::full, segment_->path() + " has no room for another session: " +
                                 std::to_string(kSlots - 1) +
                                 " are open; close some, or name another path in the "
                                 "URL");
}

void JoinLock::publish(SessionId session) noexcept {
  auto& slots = segment_->header().slots;
  slots.store(std::max<std::uint32_t>(slots.load(), slot_of(session)));
  segment_->slot(slot_of(session)).live.store(1);
}

}  // namespace holdfast::local
