// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/backend.h"

#include <cstdio>
#include <tuple>
#include <utility>

#include "engines/etcd/errors.h"
#include "engines/etcd/names.h"

namespace holdfast::etcd {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestOpening = 5s;
constexpr auto kLongestParting = 1s;

bool may_end_live_leases(const std::string& version) {
  int major = 0;
  int minor = 0;
  int patch = 0;
  if (std::sscanf(version.c_str(), "%d.%d.%d", &major, &minor, &patch) != 3) {
    return false;
  }
  return std::tuple(major, minor) < std::tuple(3, 4) ||
         (minor == 4 && major == 3 && patch < 31) ||
         (minor == 5 && major == 3 && patch < 13);
}

}  // namespace

Result<std::shared_ptr<Backend>> Backend::open(const Options& options,
                                               const engine::SessionOptions& session) {
  auto channels = Channels::open(options, session.retry);
  if (!channels) return std::move(channels).error();
  std::shared_ptr<Backend> backend(new Backend(options, session, *std::move(channels)));
  wire::StatusResponse status;
  if (auto done = backend->calls_.call("/etcdserverpb.Maintenance/Status",
                                       wire::StatusRequest(), status,
                                       Clock::now() + kLongestOpening);
      !done) {
    if (done.error().code == Errc::outcome_unknown) {
      return Failure(Errc::unavailable, done.error().context);
    }
    const bool only_root_may_ask = is_about_rights(done.error());
    if (!only_root_may_ask) return std::move(done).error();
  }
  backend->version_ = status.version();
  return backend;
}

Backend::Backend(const Options& options, const engine::SessionOptions& session,
                 std::unique_ptr<Channels> channels)
    : options_(options),
      payload_(session.payload),
      alarm_(session.alarm),
      channels_(std::move(channels)),
      calls_(options_, *channels_, loop_),
      watches_(loop_, *channels_, calls_),
      lease_(session.ttl, loop_, *channels_, calls_,
             [this](std::int64_t id) { lease_ended(id); }) {
  calls_.on_authenticated([this] { watches_.authenticated(); });
  std::vector<PeriodicJob*> jobs;
  watches_.add_jobs(jobs);
  lease_.add_jobs(jobs);
  loop_.start(std::move(jobs));
}

Backend::~Backend() {
  lease_.revoke(Clock::now() + kLongestParting);
  loop_.stop();
}

std::vector<std::string> Backend::warnings() const {
  if (options_.hosts.size() < 2 || !may_end_live_leases(version_)) return {};
  return {"etcd " + version_ +
          " can end leases that are kept alive, when a leader that stood still comes "
          "back; 3.4.31, 3.5.13 and later do not"};
}

std::vector<engine::ServerDescription> Backend::descriptions() const {
  engine::ServerDescription all{options_.spelt(), {}};
  if (!version_.empty()) all.properties.push_back({"version", version_});
  return {std::move(all)};
}

Result<wire::TxnResponse> Backend::txn(const wire::TxnRequest& request,
                                       std::int64_t lease, engine::Deadline until) {
  auto answer = calls_.txn(request, until);
  if (!answer && answer.error().code == Errc::not_held) lease_.mark_ended(lease);
  return answer;
}

std::string Backend::tombstone_of(std::int64_t lease, engine::Ticket ticket) const {
  return options_.root + "%gone/" + id_of(lease, ticket);
}

std::shared_ptr<engine::Resource> Backend::shared_resource(
    const std::shared_ptr<Backend>& backend, const std::string& key, Make make) {
  base::MutexLock lock(backend->mutex_);
  auto& known = backend->shared_[key];
  auto resource = known.lock();
  if (resource == nullptr) {
    resource = make(backend, key);
    known = resource;
  }
  if (backend->shared_.size() % 64 == 0) {
    std::erase_if(backend->shared_,
                  [](const auto& each) { return each.second.expired(); });
  }
  return resource;
}

// A waiter reads its queue again and enters it anew; the renewer learns that the
// granted claims are lost.
void Backend::lease_ended(std::int64_t id) {
  keys_in_use_.lease_ended(id);
  watches_.ring_all();
  if (alarm_ != nullptr) alarm_->ring();
}

}  // namespace holdfast::etcd
