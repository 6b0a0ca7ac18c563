// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/renewal.h"

#include <optional>
#include <utility>
#include <vector>

#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {
namespace {

ClaimResource& resource_of(const engine::ClaimRef& ref) {
  return *static_cast<ClaimResource*>(ref.resource);
}

// A claim whose nodes are checked; their answers begin at index `first`.
struct Question {
  engine::ClaimRef* ref;
  HeldClaim held;
  std::size_t first;
  std::shared_ptr<WatchSet> own_watch;
};

bool is_watched(const HeldClaim& held) noexcept {
  return held.own_watch != nullptr && held.own_watch->quiet();
}

Question ask_about(Backend& backend, Batch& batch, engine::ClaimRef& ref,
                   HeldClaim held) {
  std::vector<WatchTarget> targets;
  for (const std::string& node : held.nodes) targets.push_back({node});
  Question question{&ref, std::move(held), 0, nullptr};
  question.own_watch = WatchSet::make(backend.watches(), targets, backend.alarm());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto at = batch.exists(targets[i].path, WatchRegistry::key(targets[i]));
    if (i == 0) question.first = at;
  }
  return question;
}

void evaluate(Question& question, const Batch& batch) {
  ClaimResource& resource = resource_of(*question.ref);
  const engine::Ticket ticket = question.ref->claim->ticket;
  for (std::size_t i = 0; i < question.held.nodes.size(); ++i) {
    const Answer& node = batch[question.first + i];
    if (node.ok() && node.stat.ephemeralOwner == batch.session()) continue;
    const bool missing = node.code == ZNONODE;
    question.ref->outcome =
        make_error_code(missing || node.ok() ? Errc::not_held : Errc::unavailable);
    if (missing) resource.lose(ticket, question.held);
    return;
  }
  resource.claims().update_held(
      ticket, [&](HeldClaim& held) { held.own_watch.swap(question.own_watch); });
}

bool has_nodes(const std::optional<HeldClaim>& held) {
  return held && !held->nodes.empty();
}

// The claims of a session that has ended are lost. They are reported at once, because
// it may take long until there is another session. Returns true if no claim is left
// to ask about. `present` becomes the session of the others.
bool settle_ended(Backend& backend, std::span<engine::ClaimRef> refs,
                  std::optional<std::int64_t>& present) {
  bool all = !refs.empty();
  for (engine::ClaimRef& ref : refs) {
    const auto held = resource_of(ref).claims().held(ref.claim->ticket);
    const bool is_held =
        has_nodes(held) && !backend.sessions().has_ended(held->session_id);
    ref.outcome = is_held ? std::error_code() : make_error_code(Errc::not_held);
    all = all && !is_held;
    if (is_held) present = held->session_id;
  }
  return all;
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until) {
  const auto asked = Clock::now();
  std::optional<std::int64_t> present;
  if (settle_ended(backend, refs, present)) return {};
  // The session may also end while a server is waited for.
  auto handle = backend.sessions().handle(until, present);
  if (!handle && settle_ended(backend, refs, present)) return {};
  if (!handle) return std::move(handle).error();
  const std::int64_t session = (*handle)->id();
  Batch batch(*std::move(handle));
  batch.multi({{Op::Type::check, "/"}});
  std::vector<Question> questions;
  for (engine::ClaimRef& ref : refs) {
    auto held = resource_of(ref).claims().held(ref.claim->ticket);
    if (!has_nodes(held) || held->session_id != session) {
      ref.outcome = make_error_code(Errc::not_held);
    } else if (!is_watched(*held)) {
      questions.push_back(ask_about(backend, batch, ref, *std::move(held)));
    }
  }
  if (auto done = batch.wait_to_read(until); !done) return std::move(done).error();
  for (Question& question : questions) evaluate(question, batch);
  for (engine::ClaimRef& ref : refs) {
    ref.granted.lease = Backend::lease_from(batch.handle(), asked, ref.claim->lease);
  }
  return {};
}

}  // namespace holdfast::zookeeper
