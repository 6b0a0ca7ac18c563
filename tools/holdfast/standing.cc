#include "standing.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "holdfast/clock.h"

namespace holdfast::cli {
namespace {

using engine::Kind;

constexpr std::size_t kMostEntries = 10'000;

constexpr std::array<std::string_view, 10> kKindNames{
    "mutex",          "fair_mutex", "shared_mutex", "semaphore", "election",
    "double_barrier", "latch",      "barrier",      "counter",   "shared_count"};

bool is_live(const Standing& standing) { return standing.in_use() || standing.value; }

constexpr std::array kClaims{Kind::mutex,     Kind::fair_mutex, Kind::shared_mutex,
                             Kind::semaphore, Kind::election,   Kind::double_barrier};
constexpr std::array kRegisters{Kind::counter, Kind::latch, Kind::barrier,
                                Kind::shared_count};

}  // namespace

engine::Deadline soon() { return Clock::now() + std::chrono::seconds(10); }

std::string_view kind_name(Kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kKindNames.size() ? kKindNames[index] : "unknown";
}

bool is_claim_kind(Kind kind) { return kind <= Kind::double_barrier; }
std::span<const Kind> claim_kinds() { return kClaims; }

Result<Standing> look(const Client& client, const engine::Address& address) {
  const auto resource = client.session().bind(address);
  if (!resource) return resource.error();
  Standing standing{.address = address};
  if (!is_claim_kind(address.kind)) {
    auto value = (*resource)->load(soon());
    if (!value) return value.error();
    if (value->version != 0 || value->number != 0) standing.value = *value;
    return standing;
  }
  auto entries = (*resource)->survey(kMostEntries, soon());
  if (!entries) return entries.error();
  for (engine::Entry& entry : *entries) {
    auto& side = entry.granted ? standing.holders : standing.waiters;
    side.push_back(std::move(entry));
  }
  // An idle semaphore without versions looks like any other number.
  if (address.kind == Kind::semaphore &&
      (standing.in_use() || client.traits(address.kind).versions)) {
    const auto capacity = (*resource)->load(soon());
    if (!capacity) return capacity.error();
    if (capacity->version != 0) standing.value = *capacity;
  }
  return standing;
}

Result<std::vector<Standing>> look_all(const Client& client, std::string_view prefix) {
  std::vector<engine::Address> found;
  std::string from;
  do {
    auto page = client.session().list(prefix, from, soon());
    if (!page) return page.error();
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

  std::vector<Standing> standings;
  for (const engine::Address& address : found) {
    auto standing = look(client, address);
    if (!standing) return standing.error();
    if (is_live(*standing)) standings.push_back(std::move(*standing));
  }
  return standings;
}

namespace {

// Asks for one kind after another: cheaper than a list on an engine that has many
// names. Where two kinds are stored alike (a mutex and a fair one, numbers without
// versions, a mutex and an election in etcd), the first of them stands for both.
class Probe {
 public:
  Probe(const Client& client, std::string_view name) : client_(client), name_(name) {}

  Result<void> ask(std::span<const Kind> kinds) {
    for (const Kind kind : kinds) {
      const engine::Traits traits = client_.traits(kind);
      const bool plain_number = !is_claim_kind(kind) && !traits.versions;
      if (!traits.supported || (kind == Kind::fair_mutex && mutex_)) continue;
      if (plain_number && number_) continue;
      if (kind == Kind::election && mutex_ && is_the_mutex(kind)) continue;

      auto standing = look(client_, {kind, name_});
      if (!standing) {
        if (standing.error().code == Errc::wrong_kind) continue;
        return standing.error();
      }
      if (!is_live(*standing)) continue;
      mutex_ = mutex_ || kind == Kind::mutex;
      number_ = number_ || plain_number || kind == Kind::semaphore;
      found_.push_back(*std::move(standing));
    }
    return {};
  }

  bool is_the_mutex(Kind kind) const {
    const auto mutex = client_.session().bind({Kind::mutex, name_});
    const auto other = client_.session().bind({kind, name_});
    return mutex && other && *mutex == *other;
  }

  std::vector<Standing> found() && { return std::move(found_); }

 private:
  const Client& client_;
  const std::string name_;
  std::vector<Standing> found_;
  bool mutex_ = false;
  bool number_ = false;
};

}  // namespace

Result<std::vector<Standing>> look_named(const Client& client, std::string_view name) {
  Probe probe(client, name);
  if (const auto asked = probe.ask(kClaims); !asked) return asked.error();
  if (const auto asked = probe.ask(kRegisters); !asked) return asked.error();
  return std::move(probe).found();
}

Result<std::vector<Standing>> look_held(const Client& client, std::string_view name) {
  Probe probe(client, name);
  if (const auto asked = probe.ask(kClaims); !asked) return asked.error();
  auto found = std::move(probe).found();
  std::erase_if(found, [](const Standing& each) { return !each.in_use(); });
  return found;
}

Result<void> evict(const Client& client, const engine::Address& address,
                   std::string_view owner) {
  const auto resource = client.session().bind(address);
  if (!resource) return resource.error();
  return (*resource)->evict(owner, soon());
}

}  // namespace holdfast::cli
