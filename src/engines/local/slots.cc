#include "engines/local/slots.h"

#include <linux/futex.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace holdfast::local {
namespace {

constexpr auto kPatience = std::chrono::seconds(5);

void end_all_sessions(Segment& segment) {
  for (std::uint32_t i = 1; i < kSlots; ++i) {
    auto& slot = segment.slot(static_cast<SlotIndex>(i));
    if (slot.live.load() != 0) {
      slot.warded.store(0);
      slot.witness.fetch_or(FUTEX_OWNER_DIED);
    }
  }
}

}  // namespace

Result<Entrance> Entrance::open(Segment& segment) {
  const auto patience = Clock::now() + kPatience;
  while (::flock(segment.fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return Failure(Errc::unavailable, "cannot lock " + segment.path());
    if (Clock::now() > patience)
      return Failure(Errc::unavailable, "another process has been opening " +
                                            segment.path() +
                                            " for too long; is it stopped?");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Entrance entrance(segment);
  const auto boot = boot_id();
  if (segment.header().boot != boot) {
    end_all_sessions(segment);
    segment.header().boot = boot;
  }
  return entrance;
}

Entrance::Entrance(Entrance&& other) noexcept
    : segment_(std::exchange(other.segment_, nullptr)) {}

Entrance::~Entrance() {
  if (segment_ != nullptr) ::flock(segment_->fd(), LOCK_UN);
}

Result<SlotIndex> Entrance::reserve(const engine::SessionOptions& options) {
  for (std::uint32_t i = 1; i < kSlots; ++i) {
    auto& slot = segment_->slot(static_cast<SlotIndex>(i));
    if (slot.live.load() != 0) continue;
    slot.witness.store(0);
    slot.control.store(0);
    slot.warded.store(0);
    slot.payload.store(0);
    slot.pid.store(static_cast<std::uint32_t>(::getpid()));
    slot.client = options.client;
    return static_cast<SlotIndex>(i);
  }
  return Failure(Errc::full, segment_->path() + " has no room for another session: " +
                                 std::to_string(kSlots - 1) + " are open");
}

void Entrance::admit(SlotIndex index) noexcept {
  auto& slots = segment_->header().slots;
  slots.store(std::max<std::uint32_t>(slots.load(), index));
  segment_->slot(index).live.store(1);
}

}  // namespace holdfast::local
