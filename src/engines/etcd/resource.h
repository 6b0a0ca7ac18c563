// engines/etcd/resource.h - the waist's resource, as far as it is the same for all
// kinds.

#pragma once

#include <memory>
#include <string>

#include "base/partial_resource.h"
#include "engines/etcd/backend.h"

namespace holdfast::etcd {

class EtcdResource : public base::PartialResource {
 public:
  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;

 protected:
  EtcdResource(std::shared_ptr<Backend> backend, std::string key);

  Backend& backend() const noexcept { return *backend_; }
  const std::string& key() const noexcept { return key_; }      // N
  const std::string& below() const noexcept { return below_; }  // N/

 private:
  const std::shared_ptr<Backend> backend_;
  const std::string key_;
  const std::string below_;
};

}  // namespace holdfast::etcd
