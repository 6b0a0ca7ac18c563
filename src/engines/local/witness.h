// engines/local/witness.h - the thread whose end tells the others that we are gone.
//
// It holds the slot's witness word as a robust futex: the kernel marks the word when
// the thread ends, be it by exit, exec or SIGKILL, and wakes one thread that waits on
// it. That one is the witness of the next session round the ring of slots, which buries
// us. A bare pid is never trusted.
//
// A witness whose own process is stopped hears nothing; so while a session has claims
// that wait, its witness also looks round every 50 ms.

#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "engines/local/segment.h"

namespace holdfast::local {

class Member;

class Witness {
 public:
  explicit Witness(Member& member);
  ~Witness();  // ends the thread, and with it the session
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  Result<void> start();     // the word is held when this returns
  void greet() noexcept;    // the slot is live: begins to watch and to be watched
  void abandon() noexcept;  // in a child of fork(): there is no such thread

  // A claim of this session begins to wait.
  void look_round() noexcept;

 private:
  void run() noexcept;
  void leave_to_others(std::uint32_t heard) noexcept;
  void sleep(bool restless) noexcept;

  struct RobustWord;

  Member& member_;
  const std::unique_ptr<RobustWord> word_;
  std::atomic<bool> ticking_{false};
  enum class Start { pending, held, refused };
  std::atomic<Start> start_{Start::pending};
  std::atomic<bool> stopping_{false};
  std::thread* thread_ = nullptr;  // bare, since a child of fork() must not touch it
};

}  // namespace holdfast::local
