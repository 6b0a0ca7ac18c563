// SPDX-License-Identifier: Apache-2.0

#include "holdfast/admin.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/common_failures.h"
#include "base/kind.h"
#include "core/access.h"
#include "core/client_state.h"
#include "core/explain.h"
#include "core/inspect.h"
#include "holdfast/names.h"
#include "primitives/register.h"

namespace holdfast::inline v0 {
namespace {

using engine::Kind;
using engine::Value;
using namespace std::chrono_literals;

constexpr auto kTimeToAnswer = 10s;
constexpr int kMostTries = 100;

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

engine::Deadline in_time() { return Clock::now() + kTimeToAnswer; }

Result<void> check_usable(const Client& client, std::string_view name = {}) {
  const auto& state = core::Access::state(client);
  return state->usable() ? Result<void>() : state->why_unusable(name);
}
Result<void> check(const Client& client, std::string_view name) {
  auto good = check_usable(client, name);
  return good ? check_name(name) : good;
}

bool keeps_a_number(Kind kind) noexcept {
  return !base::is_claim_kind(kind) || kind == Kind::semaphore ||
         kind == Kind::double_barrier;
}

Failure refuse_while_used(const ResourceState& state) {
  return {Errc::timed_out,
          core::describe_use(state) + ": it cannot be removed before that is over"};
}

// Erases one number even if other clients change it meanwhile. An engine refuses to
// erase the capacity of a semaphore while a permit is taken.
class Eraser {
 public:
  Eraser(const Client& client, const engine::Address& address)
      : client_(client), address_(address) {}

  Result<bool> run() {
    auto bound = core::Access::state(client_)->bind(address_);
    if (!bound) return std::move(bound).error();
    auto value = primitives::load(**bound);
    if (!value) return std::move(value).error();
    Value now = *value;
    for (int tries = 0; tries < kMostTries; ++tries) {
      if (now.version == 0 && now.number == 0) return tries != 0;
      auto erased = primitives::exchange(**bound, now, std::nullopt);
      if (!erased) return std::move(erased).error();
      if (erased->done) return true;
      now = erased->now;
      auto state = core::look(client_.session(), address_, in_time());
      if (!state) return std::move(state).error();
      if (state->in_use()) return refuse_while_used(*state);
    }
    return base::changed_by_others(quoted(address_.name));
  }

 private:
  const Client& client_;
  const engine::Address& address_;
};

Result<std::vector<ResourceState>> look_for(const Client& client, std::string_view name,
                                            const std::optional<Kind>& kind) {
  if (!kind) return core::look_at_all(client.session(), name, in_time());
  auto state = inspect(client, engine::Address{*kind, std::string(name)});
  if (!state) return std::move(state).error();
  return std::vector<ResourceState>{*std::move(state)};
}

}  // namespace

std::string_view kind_name(Kind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < base::kKindNames.size() ? base::kKindNames[index] : "unknown";
}

std::optional<Kind> kind_named(std::string_view text) noexcept {
  const auto* const found =
      std::find(base::kKindNames.begin(), base::kKindNames.end(), text);
  if (found == base::kKindNames.end()) return std::nullopt;
  return static_cast<Kind>(found - base::kKindNames.begin());
}

Result<std::vector<ResourceState>> inspect(const Client& client,
                                           std::string_view name) {
  if (auto good = check(client, name); !good) return std::move(good).error();
  return core::look_at_all(client.session(), name, in_time());
}

Result<ResourceState> inspect(const Client& client, const engine::Address& address) {
  if (auto good = check(client, address.name); !good) return std::move(good).error();
  auto state = core::look(client.session(), address, in_time());
  if (state || state.error().code != Errc::wrong_kind) return state;
  return core::explain_wrong_kind(client.session(), address, state.error());
}

Result<std::vector<ResourceState>> list(const Client& client, std::string_view prefix) {
  if (auto good = check_usable(client); !good) return std::move(good).error();
  std::vector<engine::Address> found;
  std::string from;
  do {
    auto page = client.session().list(prefix, from, in_time());
    if (!page) return std::move(page).error();
    for (engine::Address& address : page->addresses)
      found.push_back(std::move(address));
    from = page->next;
  } while (!from.empty());

  const auto by_name = [](const engine::Address& a) {
    return std::tie(a.name, a.kind);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return by_name(a) < by_name(b); });
  const auto same = [&](const auto& a, const auto& b) {
    return by_name(a) == by_name(b);
  };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());

  std::vector<ResourceState> states;
  for (const engine::Address& address : found) {
    auto state = core::look(client.session(), address, in_time());
    if (!state) return std::move(state).error();
    if (state->in_use() || state->value) states.push_back(*std::move(state));
  }
  return states;
}

Result<bool> remove(const Client& client, std::string_view name,
                    std::optional<Kind> kind) {
  if (auto good = check(client, name); !good) return std::move(good).error();
  if (!client.traits(kind.value_or(Kind::counter)).supported) {
    return Failure(Errc::unsupported,
                   "this engine has no " +
                       std::string(kind_name(kind.value_or(Kind::counter))) +
                       ": nothing of " + quoted(name) + " outlives its holders");
  }
  const auto states = look_for(client, name, kind);
  if (!states) return states.error();
  for (const ResourceState& state : *states) {
    if (state.in_use()) return refuse_while_used(state);
  }
  bool any = false;
  for (const ResourceState& state : *states) {
    if (!keeps_a_number(state.address.kind)) continue;
    const auto erased = Eraser(client, state.address).run();
    if (!erased.has_value()) return erased.error();
    any = any || *erased;
  }
  if (any || !kind || keeps_a_number(*kind)) return any;
  const auto others = look_for(client, name, std::nullopt);
  if (!others || others->empty()) return false;
  return core::explain_wrong_kind(client.session(), {*kind, std::string(name)},
                                  Failure(Errc::wrong_kind, quoted(name)));
}

Result<ResourceState> end_hold(const Client& client, std::string_view name,
                               FencingToken token) {
  if (!client.traits(Kind::mutex).fences) {
    return Failure(Errc::unsupported,
                   "this engine has no tokens by which a hold of " + quoted(name) +
                       " could be told: end every hold with holdfast unlock --force");
  }
  auto states = inspect(client, name);
  if (!states) return std::move(states).error();
  for (ResourceState& state : *states) {
    for (engine::Entry& holder : state.holders) {
      if (!token || holder.token.value != token.value) continue;
      const auto resource = client.session().bind(state.address);
      if (!resource) return resource.error();
      if (auto ended = (*resource)->evict(holder.owner, in_time()); !ended) {
        return std::move(ended).error();
      }
      return ResourceState{.address = state.address, .holders = {std::move(holder)}};
    }
  }
  return Failure(Errc::not_held, quoted(name) + " is not held under token " +
                                     std::to_string(token.value) +
                                     ": `holdfast show` tells who holds it now");
}

}  // namespace holdfast::inline v0
