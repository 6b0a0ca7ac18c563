// engines/zookeeper/queue.h - who is next in one directory.
//
// Taking a place and seeing who is ahead is one round trip: the server answers a
// session's requests in order, so creating and listing are sent together. Whoever is
// not first watches the one node that must go first, and its own. When that node goes
// and it was the only one, the turn has come without another question.

#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/children.h"
#include "engines/zookeeper/claim_state.h"

namespace holdfast::zookeeper {

// Asks something more on the way.
class BatchExtension {
 public:
  virtual ~BatchExtension() = default;
  virtual void add_requests(Batch& batch) = 0;
  virtual void read_answers(const Batch& batch) = 0;
  virtual void not_sent() = 0;  // no way was needed: what came before is out of date
};

// Removes the node of a place, which then is as before the first attempt.
Result<void> remove_node(Backend& backend, ClaimState& state, engine::Deadline until);

class QueueDirectory {
 public:
  QueueDirectory(Backend& backend, std::string directory, engine::Kind kind);

  const std::string& directory() const noexcept { return directory_; }

  // Takes or keeps a place, with this content, and says whether its turn has come. If
  // not, `waker` rings when it may have; a null `waker` means now or never, and leaves
  // no node behind. After an error one may be there.
  struct Admission {
    bool admitted;
    std::size_t ahead = 0;  // how many others, roughly
  };
  Result<Admission> poll(ClaimState& state, engine::Mode mode, std::string_view content,
                         const engine::Waker& waker, engine::Deadline until,
                         BatchExtension* extension = nullptr);

 private:
  struct Obstacle {
    std::string child;  // empty: none
    bool last = false;  // when it goes, the turn has come
    std::size_t ahead = 0;
  };

  bool is_known_to_be_first(const ClaimState& state) const noexcept;
  Result<bool> read_directory(ClaimState& state, engine::Mode mode,
                              std::string_view content,
                              std::vector<std::string>& children,
                              engine::Deadline until, BatchExtension* extension);
  Result<bool> recover(ClaimState& state, NodeRole role,
                       const std::vector<std::string>& children,
                       engine::Deadline until);
  Result<void> check_children(const ClaimState& state, const Answer& listed,
                              engine::Deadline until) const;
  Obstacle find_obstacle(const ClaimState& state, engine::Mode mode,
                         std::vector<std::string>& children, bool& present) const;
  Result<bool> watch_obstacle(ClaimState& state, const Obstacle& obstacle,
                              const engine::Waker& waker, engine::Deadline until);
  std::string path(std::string_view child) const;

  Backend& backend_;
  const std::string directory_;
  const engine::Kind kind_;
};

// How long a waiter sleeps at most before it lists the directory again.
std::chrono::nanoseconds recheck_delay(std::size_t ahead);

}  // namespace holdfast::zookeeper
