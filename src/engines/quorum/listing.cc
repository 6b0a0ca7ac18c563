// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/listing.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "engines/quorum/resource.h"

namespace holdfast::quorum {
namespace {

using engine::Deadline;
using engine::Entry;

// A Sighting is one owner, as the nodes report it.
struct Sighting {
  Entry entry;
  std::size_t seen = 0;
  std::size_t granted = 0;
  std::size_t same_token = 0;  // as that of `entry`
  std::size_t shared = 0;
  std::vector<engine::LeaseTime> left;
};

void count_in(const Entry& entry, std::vector<Sighting>& all) {
  auto known = std::ranges::find_if(
      all, [&](const Sighting& each) { return each.entry.owner == entry.owner; });
  if (known == all.end()) {
    known = all.insert(all.end(), Sighting{.entry = entry, .left = {}});
  }
  ++known->seen;
  if (entry.granted) ++known->granted;
  if (entry.token == known->entry.token) ++known->same_token;
  if (entry.mode == engine::Mode::shared) ++known->shared;
  if (entry.left) known->left.push_back(*entry.left);
}

// Returns the entries that a majority has in common. A token that a node has chosen
// itself means nothing at the others.
std::vector<Entry> agreed(std::vector<Sighting> all, std::size_t nodes,
                          bool chooses_tokens, std::size_t limit) {
  const auto majority = majority_of(nodes);
  std::vector<Entry> entries;
  for (Sighting& each : all) {
    if (each.seen < majority || entries.size() == limit) continue;
    if (!chooses_tokens || each.same_token < majority) each.entry.token = {};
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

using Names = std::set<std::pair<engine::Kind, std::string>>;

Result<Names> names_at(engine::Session& session, const std::string& prefix,
                       Deadline until) {
  Names names;
  std::string from;
  do {
    auto page = session.list(prefix, from, until);
    if (!page) return std::move(page).error();
    for (auto& each : page->addresses) {
      if (is_supported(each.kind)) names.emplace(each.kind, std::move(each.name));
    }
    from = std::move(page->next);
  } while (!from.empty());
  return names;
}

}  // namespace

Result<std::vector<Entry>> survey(const Backend& backend,
                                  const std::shared_ptr<NodeResource>& resource,
                                  std::size_t limit, Deadline until) {
  const Nodes& nodes = backend.nodes();
  const auto in_time = backend.node_deadline(backend.ttl());
  const auto question = ask_resource<std::vector<Entry>>(
      resource, [=](std::size_t, engine::Resource& at_node) {
        return at_node.survey(limit, in_time);
      });
  const auto [outcome, answers] = nodes.decide(question, in_time, until, of_inquiry);
  if (outcome == Outcome::unknown) return nodes.explain(answers);
  std::vector<Sighting> all;
  for (const auto& each : answers) {
    if (!each || !*each) continue;
    for (const Entry& entry : **each) count_in(entry, all);
  }
  const bool chooses_tokens = backend.chooses_tokens(resource->address().kind);
  return agreed(std::move(all), nodes.size(), chooses_tokens, limit);
}

Result<engine::Page> list_names(const Backend& backend, std::string_view prefix,
                                std::string_view, Deadline until) {
  const Nodes& nodes = backend.nodes();
  const Question<Names> question{.ask = [prefix = std::string(prefix), until](
                                            std::size_t, engine::Session& session) {
    return names_at(session, prefix, until);
  }};
  const auto [outcome, answers] = nodes.decide(question, until, until, of_inquiry);
  if (outcome == Outcome::unknown) return nodes.explain(answers);
  Names all;
  for (const auto& each : answers) {
    if (each && *each) all.insert((*each)->begin(), (*each)->end());
  }
  engine::Page page;
  for (const auto& [kind, name] : all) page.addresses.push_back({kind, name});
  return page;
}

}  // namespace holdfast::quorum
