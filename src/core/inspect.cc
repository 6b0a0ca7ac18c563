// SPDX-License-Identifier: Apache-2.0

#include "core/inspect.h"

#include <array>
#include <string>
#include <utility>

#include "base/kind.h"

namespace holdfast::core {
namespace {

using engine::Kind;

constexpr std::size_t kMostEntries = 10'000;

constexpr std::array kClaimsThenNumbers{
    Kind::mutex,    Kind::fair_mutex,     Kind::shared_mutex, Kind::semaphore,
    Kind::election, Kind::double_barrier, Kind::counter,      Kind::latch,
    Kind::barrier,  Kind::shared_count};

bool is_live(const ResourceState& state) { return state.in_use() || state.value; }

// Asks for one kind after another, which is cheaper than a list on an engine that has
// many names. Where two kinds are stored alike (a mutex and a fair one, numbers without
// versions, a mutex and an election in etcd), the first of them stands for both.
class Probe {
 public:
  Probe(engine::Session& session, std::string_view name, engine::Deadline until)
      : session_(session), name_(name), until_(until) {}

  Result<std::vector<ResourceState>> run() && {
    for (const Kind kind : kClaimsThenNumbers) {
      if (is_known_already(kind)) continue;
      auto state = look(session_, {kind, name_}, until_);
      if (!state) {
        if (state.error().code == Errc::wrong_kind) continue;
        return std::move(state).error();
      }
      if (!is_live(*state)) continue;
      mutex_ = mutex_ || kind == Kind::mutex;
      number_ = number_ || is_plain_number(kind) || kind == Kind::semaphore;
      found_.push_back(*std::move(state));
    }
    return std::move(found_);
  }

 private:
  bool is_plain_number(Kind kind) const {
    return !base::is_claim_kind(kind) && !session_.traits(kind).versions;
  }

  bool is_known_already(Kind kind) const {
    if (!session_.traits(kind).supported) return true;
    if (number_ && is_plain_number(kind)) return true;
    if (!mutex_) return false;
    return kind == Kind::fair_mutex || (kind == Kind::election && is_the_mutex(kind));
  }

  bool is_the_mutex(Kind kind) const {
    const auto mutex = session_.bind({Kind::mutex, name_});
    const auto other = session_.bind({kind, name_});
    return mutex && other && *mutex == *other;
  }

  engine::Session& session_;
  const std::string name_;
  const engine::Deadline until_;
  std::vector<ResourceState> found_;
  bool mutex_ = false;
  bool number_ = false;
};

}  // namespace

Result<ResourceState> look(engine::Session& session, const engine::Address& address,
                           engine::Deadline until) {
  const auto resource = session.bind(address);
  if (!resource) return resource.error();
  ResourceState state{.address = address};
  if (!base::is_claim_kind(address.kind)) {
    auto value = (*resource)->load(until);
    if (!value) return std::move(value).error();
    if (value->version != 0 || value->number != 0) state.value = *value;
    return state;
  }
  auto entries = (*resource)->survey(kMostEntries, until);
  if (!entries) return std::move(entries).error();
  for (engine::Entry& entry : *entries) {
    auto& side = entry.granted ? state.holders : state.waiters;
    side.push_back(std::move(entry));
  }
  // An idle semaphore whose number has no version looks like any other number.
  if (address.kind == Kind::semaphore &&
      (state.in_use() || session.traits(address.kind).versions)) {
    const auto capacity = (*resource)->load(until);
    if (!capacity) return capacity.error();
    if (capacity->version != 0) state.value = *capacity;
  }
  return state;
}

Result<std::vector<ResourceState>> look_at_all(engine::Session& session,
                                               std::string_view name,
                                               engine::Deadline until) {
  return Probe(session, name, until).run();
}

}  // namespace holdfast::core
