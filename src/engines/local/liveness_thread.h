// SPDX-License-Identifier: Apache-2.0

// engines/local/liveness_thread.h - the thread whose end tells other sessions that
// this one has ended.
//
// The thread holds the slot's liveness word as a robust futex: when the thread ends, be
// it by exit, exec or SIGKILL, the kernel marks the word and wakes one thread that
// waits on it. That is the liveness thread of the next live slot, which reaps the ended
// session; the last slot is followed by the first. A bare pid is never trusted.
//
// A liveness thread whose own process is stopped cannot react. So while a session has
// waiting claims, its liveness thread also looks at all slots every 50 ms.

#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "engines/local/memory/segment.h"

namespace holdfast::local {

class ProcessSlot;

class LivenessThread {
 public:
  explicit LivenessThread(ProcessSlot& process);
  ~LivenessThread();  // ends the thread, and with it the session
  LivenessThread(const LivenessThread&) = delete;
  LivenessThread& operator=(const LivenessThread&) = delete;

  Result<void> start();            // The word is held when this returns.
  void start_watching() noexcept;  // The slot is live: the thread begins to watch the
                                   // next live slot and to be watched.
  void abandon() noexcept;         // for a child of fork(), which has no such thread

  // Says that a claim of this session begins to wait.
  void note_waiting_claim() noexcept;

 private:
  void run() noexcept;
  void leave_to_others(std::uint32_t wanted) noexcept;
  void sleep(bool restless) noexcept;

  struct RobustWord;

  ProcessSlot& process_;
  const std::unique_ptr<RobustWord> word_;
  std::atomic<bool> ticking_{false};
  enum class Start { pending, held, refused };
  std::atomic<Start> start_{Start::pending};
  std::atomic<bool> stopping_{false};
  std::thread* thread_ = nullptr;  // a plain pointer, since a child of fork() must not
                                   // touch it
};

}  // namespace holdfast::local
