#include <algorithm>
#include <utility>

#include "engines/quorum/resource.h"

namespace holdfast::quorum {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;
using engine::Entry;

constexpr std::chrono::nanoseconds kLookAgain = 1s;

// A Sighting is one owner, as the nodes report it.
struct Sighting {
  Entry entry;
  std::size_t seen = 0;
  std::size_t granted = 0;
  std::size_t shared = 0;
  std::vector<engine::Lease> left;
};

void count_in(const Entry& entry, std::vector<Sighting>& all) {
  auto known = std::ranges::find_if(
      all, [&](const Sighting& each) { return each.entry.owner == entry.owner; });
  if (known == all.end()) {
    known = all.insert(all.end(), Sighting{.entry = entry, .left = {}});
  }
  ++known->seen;
  if (entry.granted) ++known->granted;
  if (entry.mode == engine::Mode::shared) ++known->shared;
  if (entry.left) known->left.push_back(*entry.left);
}

// Returns the entries that a majority has in common. A token of one node means nothing
// at the others.
std::vector<Entry> agreed(std::vector<Sighting> all, std::size_t nodes,
                          std::size_t limit) {
  const auto majority = majority_of(nodes);
  std::vector<Entry> entries;
  for (Sighting& each : all) {
    if (each.seen < majority || entries.size() == limit) continue;
    each.entry.token = {};
    each.entry.granted = each.granted >= majority;
    each.entry.mode =
        each.shared >= majority ? engine::Mode::shared : engine::Mode::exclusive;
    each.entry.left.reset();
    if (each.left.size() >= majority) {
      each.entry.left = agreed_lease(std::move(each.left), nodes);
    }
    entries.push_back(std::move(each.entry));
  }
  return entries;
}

}  // namespace

Result<std::vector<Entry>> QuorumResource::survey(std::size_t limit, Deadline until) {
  if (!supported()) return Errc::unsupported;
  using Entries = std::vector<Entry>;
  const auto in_time = backend_->node_deadline(backend_->ttl());
  const Question<Entries> question = [=, node_resource = resource_](
                                         std::size_t node,
                                         engine::Session& session) -> Result<Entries> {
    const auto resource = node_resource->at(node, session);
    if (!resource) return resource.error();
    return (*resource)->survey(limit, in_time);
  };
  const auto [outcome, answers] = nodes().decide(question, in_time, until, of_inquiry);
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  std::vector<Sighting> all;
  for (const auto& each : answers) {
    if (!each || !*each) continue;
    for (const Entry& entry : **each) count_in(entry, all);
  }
  return agreed(std::move(all), nodes().size(), limit);
}

Result<engine::Watch> QuorumResource::watch(const engine::Waker& waker,
                                            Deadline until) {
  if (!supported()) return Errc::unsupported;
  struct Keep {
    explicit Keep(std::shared_ptr<MajorityWaker> e) noexcept
        : majority_waker(std::move(e)) {}
    Keep(const Keep&) = delete;
    Keep& operator=(const Keep&) = delete;
    ~Keep() { majority_waker->close(); }
    const std::shared_ptr<MajorityWaker> majority_waker;
  };
  constexpr std::size_t kAnyone = 1;
  const auto majority_waker =
      std::make_shared<MajorityWaker>(waker, nodes().size(), kAnyone);
  auto keep = std::make_shared<Keep>(majority_waker);
  const auto in_time = backend_->node_deadline(backend_->ttl());
  const Question<void> question = [=, node_resource = resource_](
                                      std::size_t node,
                                      engine::Session& session) -> Result<void> {
    const auto resource = node_resource->at(node, session);
    if (!resource) return resource.error();
    return majority_waker->watch_node(node, **resource, in_time);
  };
  const auto [outcome, answers] = nodes().decide(question, in_time, until, of_inquiry);
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  return engine::Watch{std::move(keep), kLookAgain};
}

Result<void> QuorumResource::evict(std::string_view owner, Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto in_time = backend_->node_deadline(backend_->ttl());
  const Question<void> question =
      [=, node_resource = resource_, owner = std::string(owner)](
          std::size_t node, engine::Session& session) -> Result<void> {
    const auto resource = node_resource->at(node, session);
    if (!resource) return resource.error();
    return (*resource)->evict(owner, in_time);
  };
  const auto [outcome, answers] = nodes().decide(question, in_time, until, of_drop);
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  if (outcome == Outcome::no) return Errc::not_held;
  return {};
}

}  // namespace holdfast::quorum
