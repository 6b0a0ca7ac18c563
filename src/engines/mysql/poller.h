// engines/mysql/poller.h - one thread that looks at all that nobody rings for.
//
// Often at first, ever less often as nothing happens. However many wait for a name, it
// is one question.

#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// Safe for concurrent use.
class Poller {
 public:
  explicit Poller(Pool& pool) : pool_(pool) {}
  ~Poller();

  // Rings whenever something changes after this call, until the watch is dropped.
  struct Watch {
    std::string name;
    engine::Waker waker;
  };
  Result<std::shared_ptr<const Watch>> watch(const std::string& name,
                                             const engine::Waker& waker,
                                             engine::Deadline until);

 private:
  struct Item {
    std::string name;
    std::vector<std::weak_ptr<const Watch>> watches;
    std::string stamp;
    Clock::time_point changed;  // as far as known
    Clock::time_point due;
  };

  Result<std::string> stamp_of(const std::string& name, engine::Deadline until);
  Item& item_of(const std::string& name, const std::string& stamp)
      HOLDFAST_REQUIRES(mutex_);
  void run();
  void look(const std::string& name);
  // Forgets what nobody watches; says which is due next, if any.
  Item* next() HOLDFAST_REQUIRES(mutex_);

  Pool& pool_;
  base::Mutex mutex_;
  base::CondVar woken_;
  std::list<Item> items_ HOLDFAST_GUARDED_BY(mutex_);
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::mysql
