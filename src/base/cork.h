// SPDX-License-Identifier: Apache-2.0

// base/cork.h - holds wake-ups and writes back until a thread has made all of them.
//
//   {
//     const base::Cork cork;
//     for (engine::Signal* each : answered) each->ring();
//   }  // Now the thread that they belong to is woken, once.
//
// Without it, the woken thread may take the processor at once, finds one piece of work
// and sleeps again, for every piece.

#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace holdfast::base {

// It lies on the stack of the thread that makes them. One that is made inside another
// holds back what comes until its own end. The outlets may be shared with other
// threads.
class Cork {
 public:
  class Outlet {
   public:
    // Wakes the thread, or writes what is to be written.
    virtual void flush() noexcept = 0;

   protected:
    ~Outlet() = default;
  };

  Cork() noexcept;
  Cork(const Cork&) = delete;
  Cork& operator=(const Cork&) = delete;
  ~Cork();

  // Has `outlet` flushed once, at the end of this thread's cork. Returns false if there
  // is none, or if it has no room for another outlet: the caller then flushes it.
  static bool hold(std::shared_ptr<Outlet> outlet) noexcept;

  // While it exists, nothing of its thread is held back. It is for functions of the
  // program, which may wait for what they have started.
  class Lifted {
   public:
    Lifted() noexcept;
    Lifted(const Lifted&) = delete;
    Lifted& operator=(const Lifted&) = delete;
    ~Lifted();

   private:
    Cork* const cork_;
  };

 private:
  void flush() noexcept;

  Cork* const outer_;
  std::array<std::shared_ptr<Outlet>, 4> held_;
  std::size_t count_ = 0;
};

}  // namespace holdfast::base
