// SPDX-License-Identifier: Apache-2.0

#include "resource_status.h"

#include <array>

#include "holdfast/clock.h"
#include "holdfast/engine/session.h"

namespace holdfast::cli {
namespace {

using engine::Kind;

constexpr std::array kClaims{Kind::mutex,     Kind::fair_mutex, Kind::shared_mutex,
                             Kind::semaphore, Kind::election,   Kind::double_barrier};

}  // namespace

engine::Deadline soon() { return Clock::now() + std::chrono::seconds(10); }

bool is_claim_kind(Kind kind) { return kind <= Kind::double_barrier; }
std::span<const Kind> claim_kinds() { return kClaims; }

Result<std::vector<ResourceStatus>> look_held(const Client& client,
                                              std::string_view name) {
  auto found = inspect(client, name);
  if (found)
    std::erase_if(*found, [](const ResourceStatus& each) { return !each.in_use(); });
  return found;
}

Result<void> evict(const Client& client, const engine::Address& address,
                   std::string_view owner) {
  const auto resource = client.session().bind(address);
  if (!resource) return resource.error();
  return (*resource)->evict(owner, soon());
}

}  // namespace holdfast::cli
