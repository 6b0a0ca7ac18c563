// engines/zookeeper/queue.h - who is next in one directory.
//
// Taking a place and seeing who is ahead is one round trip: the server answers a
// session's requests in order, so creating and listing are sent together. Whoever is
// not first watches the one node that must go first, and its own. When that node goes
// and it was the only one, the turn has come without another question.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/children.h"
#include "engines/zookeeper/place.h"

namespace holdfast::zookeeper {

// Asks something more on the way.
class Rider {
 public:
  virtual ~Rider() = default;
  virtual void board(Batch& batch) = 0;
  virtual void arrive(const Batch& batch) = 0;
  virtual void stay() = 0;  // no way was needed: what came before is out of date
};

// Removes the node of a place, which then is as before the first attempt.
Result<void> give_up_node(Backend& backend, Place& place, engine::Deadline until);

class Queue {
 public:
  Queue(Backend& backend, std::string directory, engine::Kind kind);

  const std::string& directory() const noexcept { return directory_; }

  // Takes or keeps a place, with this content, and says whether its turn has come. If
  // not, `waker` rings when it may have; a null `waker` means now or never, and leaves
  // no node behind. After an error one may be there.
  struct Turn {
    bool come;
    std::size_t ahead = 0;  // how many others, roughly
  };
  Result<Turn> ask(Place& place, engine::Mode mode, std::string_view content,
                   const engine::Waker& waker, engine::Deadline until,
                   Rider* rider = nullptr);

 private:
  struct Obstacle {
    std::string child;  // empty: none
    bool last = false;  // when it goes, the turn has come
    std::size_t ahead = 0;
  };

  bool needs_no_look(const Place& place) const noexcept;
  Result<bool> look(Place& place, engine::Mode mode, std::string_view content,
                    std::vector<std::string>& children, engine::Deadline until,
                    Rider* rider);
  Result<bool> recover(Place& place, Sort sort,
                       const std::vector<std::string>& children,
                       engine::Deadline until);
  Result<void> check(const Place& place, const Answer& listed,
                     engine::Deadline until) const;
  Obstacle find_obstacle(const Place& place, engine::Mode mode,
                         std::vector<std::string>& children, bool& present) const;
  Result<bool> keep_watch(Place& place, const Obstacle& obstacle,
                          const engine::Waker& waker, engine::Deadline until);
  std::string path(std::string_view child) const;

  Backend& backend_;
  const std::string directory_;
  const engine::Kind kind_;
};

}  // namespace holdfast::zookeeper
