// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/children.h"

#include <algorithm>
#include <limits>

#include "base/parse_whole.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::size_t kIdSize = 36;
constexpr std::string_view kProtection = "_c_";
constexpr std::size_t kProtectionSize = kProtection.size() + kIdSize + 1;
constexpr std::int64_t kNearlyUsedUp =
    std::numeric_limits<std::int32_t>::max() - 1'000'000;

struct Base {
  NodeRole role;
  std::string_view text;
};
constexpr Base kBases[] = {
    {NodeRole::read, "__READ__"}, {NodeRole::write, "__WRIT__"},
    {NodeRole::latch, "latch-"},  {NodeRole::lease, "lease-"},
    {NodeRole::lock, "lock-"},
};

bool is_id(std::string_view text) noexcept {
  if (text.size() != kIdSize) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

bool is_kazoo(std::string_view child) noexcept {
  return child.find("__lock__") != std::string_view::npos ||
         child.find("__rlock__") != std::string_view::npos;
}

const Base* find_base(std::string_view child) noexcept {
  const auto found =
      std::find_if(std::begin(kBases), std::end(kBases), [&](const Base& base) {
        return child.find(base.text) != std::string_view::npos;
      });
  return found != std::end(kBases) ? found : nullptr;
}

}  // namespace

NodeRole role_of(std::string_view child) noexcept {
  if (const Base* const base = find_base(child)) return base->role;
  if (child == "locks" || child == "leases" || child == "permits")
    return NodeRole::part;
  if (child == "ready") return NodeRole::ready;
  if (is_kazoo(child)) return NodeRole::kazoo;
  return is_id(child) ? NodeRole::member : NodeRole::other;
}

std::string_view base_of(NodeRole role) noexcept {
  const auto found = std::find_if(std::begin(kBases), std::end(kBases),
                                  [&](const Base& base) { return base.role == role; });
  return found != std::end(kBases) ? found->text : std::string_view();
}

NodeRole role_for(engine::Kind kind, engine::Mode mode) noexcept {
  using engine::Kind;
  if (kind == Kind::election) return NodeRole::latch;
  if (kind == Kind::double_barrier) return NodeRole::member;
  if (kind != Kind::shared_mutex) return NodeRole::lock;
  return mode == engine::Mode::shared ? NodeRole::read : NodeRole::write;
}

bool belongs(NodeRole role, engine::Kind kind) noexcept {
  using engine::Kind;
  switch (kind) {
    case Kind::mutex:
    case Kind::fair_mutex:
      return role == NodeRole::lock || role == NodeRole::other;
    case Kind::election:
      return role == NodeRole::latch || role == NodeRole::other;
    case Kind::shared_mutex:
      return role == NodeRole::read || role == NodeRole::write ||
             role == NodeRole::other;
    case Kind::semaphore:
      return role == NodeRole::part || role == NodeRole::other;
    case Kind::double_barrier:
      return role == NodeRole::member || role == NodeRole::ready ||
             role == NodeRole::other;
    default:
      return false;
  }
}

std::string protection(std::string_view id) {
  return std::string(kProtection).append(id).append("-");
}

std::string_view protection_of(std::string_view child) noexcept {
  if (child.size() <= kProtectionSize || !child.starts_with(kProtection)) return {};
  if (!is_id(child.substr(kProtection.size(), kIdSize))) return {};
  return child[kProtectionSize - 1] == '-' ? child.substr(0, kProtectionSize)
                                           : std::string_view();
}

std::string_view order_of(std::string_view child) noexcept {
  const Base* const base = find_base(child);
  if (base == nullptr) return child;
  return child.substr(child.rfind(base->text) + base->text.size());
}

void put_in_order(std::vector<std::string>& children) {
  if (children.size() < 2) return;  // std::stable_sort would allocate
  std::stable_sort(children.begin(), children.end(),
                   [](const std::string& a, const std::string& b) {
                     return order_of(a) < order_of(b);
                   });
}

std::optional<std::int64_t> sequence_of(std::string_view child) noexcept {
  if (find_base(child) == nullptr) return std::nullopt;
  return base::parse_whole<std::int64_t>(order_of(child));
}

bool is_wrapped(std::string_view child) noexcept {
  const auto sequence = sequence_of(child);
  return sequence && (*sequence < 0 || *sequence > kNearlyUsedUp);
}

}  // namespace holdfast::zookeeper
