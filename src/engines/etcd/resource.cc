#include "engines/etcd/resource.h"

#include <utility>

#include "engines/etcd/names.h"
#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kLookAgain = 5s;

}  // namespace

EtcdResource::EtcdResource(std::shared_ptr<Backend> backend, std::string key)
    : backend_(std::move(backend)), key_(std::move(key)), below_(key_ + "/") {}

// The range begins at the key N and ends behind N/. It contains the keys of some other
// names that begin with N; their changes ring, too, and do no harm.
Result<engine::Watch> EtcdResource::watch(const engine::Waker& waker,
                                          engine::Deadline until) {
  struct Keep {
    std::shared_ptr<Backend> backend;
    std::shared_ptr<WatchHandle> handle;
  };
  auto keep = std::make_shared<Keep>();
  keep->backend = backend_;
  keep->handle = backend_->watches().watch(
      {.key = key_, .end = end_of(below_), .what = WatchFor::all}, {waker});
  if (auto live = keep->handle->wait(until); !live) return std::move(live).error();
  return engine::Watch{std::move(keep), kLookAgain};
}

}  // namespace holdfast::etcd
