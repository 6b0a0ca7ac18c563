// SPDX-License-Identifier: Apache-2.0

#include "engines/local/liveness_thread.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/common_failures.h"
#include "base/thread.h"
#include "engines/local/memory/guard.h"
#include "engines/local/memory/wake.h"
#include "engines/local/process_slot.h"
#include "engines/local/reaper.h"
#include "holdfast/clock.h"

namespace holdfast::local {
namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr int kQuietTicks = 20;

// This is how often a liveness thread that is not rung checks that the file still
// exists.
constexpr std::chrono::milliseconds kLook = std::chrono::seconds(2);

bool alive(const Segment& segment, std::uint32_t slot) {
  return segment.slot(static_cast<SlotIndex>(slot)).live.load() != 0 &&
         !liveness_thread_ended(segment, static_cast<SlotIndex>(slot));
}

// Returns the nearest living session in a slot above or below, or 0 if there is none.
// The last slot is followed by the first.
SlotIndex neighbour(const Segment& segment, SlotIndex me, bool upwards) {
  const auto slots = std::min<std::uint32_t>(segment.header().slots.load(), kSlots - 1);
  for (std::uint32_t step = 1; step < slots; ++step) {
    const auto i =
        upwards ? (me - 1 + step) % slots + 1 : (me - 1 + slots - step) % slots + 1;
    if (alive(segment, i)) return static_cast<SlotIndex>(i);
  }
  return 0;
}

}  // namespace

// This is the kernel's robust list of the thread, with the slot's word as its only
// entry. The kernel reads it when the thread has ended, so it must lie outside the
// thread's stack.
struct LivenessThread::RobustWord {
  robust_list_head head{};
  robust_list entry{};

  // Returns false if the kernel or a sandbox refuses robust futexes.
  bool hold(Word& word) noexcept {
    head.list.next = &entry;
    entry.next = &head.list;
    head.futex_offset = static_cast<long>(reinterpret_cast<std::intptr_t>(&word) -
                                          reinterpret_cast<std::intptr_t>(&entry));
    if (::syscall(SYS_set_robust_list, &head, sizeof head) != 0) return false;
    word.store(static_cast<std::uint32_t>(::syscall(SYS_gettid)));
    return true;
  }

  // From now on the kernel does not touch the word.
  void let_go() noexcept { head.list.next = &head.list; }
};

LivenessThread::LivenessThread(ProcessSlot& process)
    : process_(process), word_(std::make_unique<RobustWord>()) {}

Result<void> LivenessThread::start() {
  try {
    thread_ = new std::thread(base::start_thread("hf-liveness", [this] { run(); }));
  } catch (const std::exception& error) {
    return base::out_of_resources(error, "guard the claims of this process in",
                                  process_.segment().path());
  }
  start_.wait(Start::pending);
  if (start_.load() == Start::held) return {};
  return Failure(Errc::unsupported,
                 "set_robust_list is refused, by a sandbox or the kernel, and without "
                 "it a lock of " +
                     process_.segment().path() +
                     " would stay with a process that was killed: allow that call");
}

void LivenessThread::start_watching() noexcept {
  auto& segment = process_.segment();
  const auto me = slot_of(process_.me());
  ring_slot(segment, me, kCheckSlots);
  if (const auto before = neighbour(segment, me, false); before != 0) {
    ring_slot(segment, before, kCheckSlots);
  }
}

LivenessThread::~LivenessThread() {
  if (thread_ == nullptr) return;
  // A bit of the control word cannot say this: if the slot belongs to another session
  // by now, the bit would stop that session's liveness thread.
  stopping_.store(true);
  ring_slot(process_.segment(), slot_of(process_.me()), kCheckSlots);
  thread_->join();
  delete thread_;
}

void LivenessThread::abandon() noexcept { thread_ = nullptr; }

void LivenessThread::note_waiting_claim() noexcept {
  if (!ticking_.exchange(true)) {
    ring_slot(process_.segment(), slot_of(process_.me()), kCheckSlots);
  }
}

void LivenessThread::run() noexcept {
  auto& segment = process_.segment();
  auto& slot = process_.slot();
  const bool held = word_->hold(slot.liveness);
  start_.store(held ? Start::held : Start::refused);
  start_.notify_one();
  if (!held) return;
  // The thread enters no guard before the slot is live: if it died inside one, the next
  // session in this slot would wait for itself.
  while (slot.live.load() == 0 && !stopping_.load()) {
    futex_wait(slot.control, 0, engine::Deadline::max());
  }
  int quiet = 0;
  auto next_look = Clock::now();
  for (;;) {
    const auto wanted = slot.control.exchange(0);
    process_.notice_deletion();
    if (!process_.present()) return leave_to_others(wanted);
    if (stopping_.load()) return;
    if ((wanted & kAlarm) != 0) process_.ring_alarm();
    if ((wanted & kRingWakers) != 0) process_.ring_watches();
    const bool left_over = reap_ended_sessions(segment, process_.me());
    process_.ring_ready();
    if ((wanted & kAllClaims) != 0) {
      process_.look_at_claims(ProcessSlot::ClaimSubset::all);
    } else if (Clock::now() >= next_look) {
      process_.look_at_claims(ProcessSlot::ClaimSubset::some);
      next_look = Clock::now() + kTick;
    }
    const bool waiting = process_.any_waits();
    quiet = left_over || waiting ? 0 : quiet + 1;
    if (quiet > kQuietTicks && ticking_.exchange(false)) continue;
    // A claim that has begun to wait since then must not rely on a tick that was just
    // given up.
    sleep(ticking_.load() || left_over || waiting);
  }
}

// This session was ended from outside: the slot and its words belong to another
// session, or soon will.
void LivenessThread::leave_to_others(std::uint32_t wanted) noexcept {
  word_->let_go();
  auto& control = process_.slot().control;
  control.fetch_or(wanted);
  futex_wake(control, std::numeric_limits<int>::max());
  process_.ring_all();
}

void LivenessThread::sleep(bool restless) noexcept {
  auto& segment = process_.segment();
  auto& control = process_.slot().control;
  auto until = Clock::now() + (restless ? kTick : kLook);
  if (const auto other = neighbour(segment, slot_of(process_.me()), true); other != 0) {
    auto& liveness = segment.slot(other).liveness;
    auto seen = liveness.load();
    if (seen == 0 || (seen & FUTEX_OWNER_DIED) != 0) return;
    if ((seen & FUTEX_WAITERS) == 0 && !liveness.cas(seen, seen | FUTEX_WAITERS))
      return;
    if (futex_wait_either(control, 0, liveness, seen | FUTEX_WAITERS, until)) return;
    until = Clock::now() + kTick;
  }
  futex_wait(control, 0, until);
}

}  // namespace holdfast::local
