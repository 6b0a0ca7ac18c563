// SPDX-License-Identifier: Apache-2.0

// engines/mysql/poller.h - watches names for which there is no bell.
//
// A name is read often at first, and less often while nothing changes. However many
// watches a name has, it is one query.

#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/poll_thread.h"
#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// The class is safe for concurrent use.
class Poller {
 public:
  explicit Poller(Pool& pool)
      : pool_(pool), thread_("hf-mysql-poll", [this] { return look(); }) {}

  // This is a watch on a name. No ring starts after it has been destroyed. The poller
  // must outlive it.
  class Watch {
   public:
    Watch(Poller& poller, std::string name, engine::Waker waker) noexcept
        : poller_(poller), name_(std::move(name)), waker_(std::move(waker)) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { poller_.end(*this); }

   private:
    friend class Poller;
    Poller& poller_;
    const std::string name_;
    const engine::Waker waker_;
  };

  // The waker is rung whenever something changes after this call. It is rung under the
  // poller's mutex, so it must not destroy a watch. Errc::full means that the system
  // has no thread for it.
  Result<std::shared_ptr<const Watch>> watch(const std::string& name,
                                             const engine::Waker& waker,
                                             engine::Deadline until);

 private:
  struct Item {
    std::string name;
    std::vector<const Watch*> watches;  // never empty between two calls
    std::string stamp;
    Clock::time_point changed;  // as far as known
    Clock::time_point due;
  };

  Result<std::string> stamp_of(const std::string& name, engine::Deadline until);
  Item& item_of(const std::string& name, const std::string& stamp)
      HOLDFAST_REQUIRES(mutex_);
  void end(const Watch& watch) noexcept;
  Clock::time_point look();
  void look_at(const std::string& name);

  Pool& pool_;
  base::Mutex mutex_;
  std::list<Item> items_ HOLDFAST_GUARDED_BY(mutex_);
  base::PollThread thread_;
};

}  // namespace holdfast::mysql
