// engines/zookeeper/resource.h - the waist's resource: what all kinds have in common.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/partial_resource.h"
#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/place.h"

namespace holdfast::zookeeper {

class ZookeeperResource : public base::PartialResource {
 public:
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

  // For `renew`.
  Places& places() noexcept { return places_; }

 protected:
  ZookeeperResource(std::shared_ptr<Backend> backend, std::string path);

  Backend& backend() noexcept { return *backend_; }
  const std::string& path() const noexcept { return path_; }

  // Where nodes of claims may be.
  virtual std::vector<std::string> directories() const { return {path_}; }
  // What changes when this resource does. A watch fires once: every look arms them
  // again, if anybody watches.
  virtual std::vector<Spot> spots() const;
  bool is_watched() const noexcept { return watches_->load() > 0; }
  void arm(Batch& batch) const;

  // The children of `path()`, for a survey; none: it is not there.
  Result<std::vector<std::string>> list(engine::Deadline until);

  std::shared_ptr<Place> place_of(const engine::Claim& claim);
  engine::Verdict grant(const engine::Claim& claim, Place& place,
                        Clock::time_point asked);
  engine::Granted granted(const engine::Claim& claim, const Place& place,
                          Clock::time_point asked);
  std::string_view content(const engine::Claim& claim) const noexcept;

  // The place of a granted claim, if the session that has it is the present one.
  Result<std::shared_ptr<Place>> held_place(const engine::Claim& claim,
                                            engine::Deadline until);

 private:
  Result<std::vector<std::string>> find_nodes(std::string_view prefix,
                                              engine::Deadline until);
  Result<void> remove_nodes(const std::vector<std::string>& nodes,
                            engine::Deadline until);

  const std::shared_ptr<Backend> backend_;
  const std::string path_;
  Places places_;
  std::atomic<std::int64_t> session_{0};  // of the last attempt
  const std::shared_ptr<std::atomic<int>> watches_;
};

}  // namespace holdfast::zookeeper
