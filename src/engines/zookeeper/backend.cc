// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/backend.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/probe.h"

namespace holdfast::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestOpening = 5s;
constexpr auto kUsualOpening = 300ms;

// A ZooKeeper server closes the connection of a client that does not speak its
// protocol, without an answer.
constexpr base::ServerProbe kZookeeper = {
    "ZooKeeper", [](std::string_view said) { return !said.empty(); }};

// The library tries to connect for ever and does not say why it fails, so the hosts are
// probed.
Result<std::shared_ptr<Handle>> first_handle(SessionManager& sessions,
                                             const Options& options,
                                             engine::Deadline until) {
  auto handle = sessions.handle(Clock::now() + kUsualOpening);
  if (handle) return handle;
  auto perhaps = base::probe(options.hosts, kZookeeper, until);
  if (!perhaps) return std::move(perhaps).error();
  return sessions.handle(until);
}

}  // namespace

Result<std::shared_ptr<Backend>> Backend::open(const Options& options,
                                               const engine::SessionOptions& session) {
  std::shared_ptr<Backend> backend(new Backend(options, session));
  const auto until = Clock::now() + kLongestOpening;
  auto handle = first_handle(backend->sessions_, options, until);
  if (!handle) return std::move(handle).error();
  Batch batch(*handle);
  const auto asked = batch.exists(options.root.empty() ? "/" : options.root);
  if (auto done = batch.wait(until); !done) return std::move(done).error();
  const int code = batch[asked].code;
  if (code != ZOK && code != ZNONODE)
    return failure_of(code, "look at " + (options.root.empty() ? "/" : options.root));
  backend->timeout_ = (*handle)->timeout();
  return backend;
}

Backend::Backend(const Options& options, const engine::SessionOptions& session)
    : options_(options),
      ttl_(session.ttl),
      client_(session.client),
      payload_(session.payload),
      alarm_(session.alarm),
      receipts_(options_.root, base::to_string(session.client)),
      sessions_(options_, session.ttl, watches_, session.alarm) {}

std::vector<std::string> Backend::warnings() const {
  std::vector<std::string> all;
  const auto given = std::chrono::duration_cast<std::chrono::milliseconds>(timeout_);
  if (given != ttl_) {
    all.push_back("the server allows sessions of " + std::to_string(given.count()) +
                  " ms, not of " + std::to_string(ttl_.count()) + " ms");
  }
  return all;
}

std::vector<engine::ServerDescription> Backend::descriptions() const {
  const auto given = std::chrono::duration_cast<std::chrono::milliseconds>(timeout_);
  return {
      {options_.spelt(), {{"session_timeout", std::to_string(given.count()) + " ms"}}}};
}

std::string Backend::id_of(engine::Ticket ticket) const {
  base::Uuid id = client_;
  const auto number = static_cast<std::uint64_t>(ticket);
  for (std::size_t i = 0; i < 8; ++i) {
    id[8 + i] = static_cast<std::uint8_t>(id[8 + i] ^ (number >> (56 - 8 * i)));
  }
  return base::to_string(id);
}

// All of them are requested in one batch, from the top. The answers for ancestors that
// exist, or that we have no right to create, do no harm; the answer for the parent
// decides.
Result<void> Backend::make_parents(const std::string& path, engine::Deadline until) {
  Batch batch(sessions_.handle(until));
  std::size_t last = 0;
  std::string parent;
  for (auto slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    parent = path.substr(0, slash);
    last = batch.create(parent, {}, Node::container);
  }
  if (parent.empty()) return {};
  if (auto done = batch.wait(until); !done) return done;
  const int code = batch[last].code;
  if (code == ZOK || code == ZNODEEXISTS) return {};
  if (code == ZNOCHILDRENFOREPHEMERALS) {
    return Failure(Errc::wrong_kind, "nothing can be created below " + parent +
                                         ": it is a claim; use another name");
  }
  if (code != ZNONODE) return failure_of(code, "create " + parent);
  // One of them was removed meanwhile: ZooKeeper removes empty containers.
  for (std::size_t i = 0; i < last; ++i) {
    if (batch[i].code == ZNOAUTH) return failure_of(ZNOAUTH, "create " + parent);
  }
  return {};
}

engine::LeaseTime Backend::lease_from(const Handle& handle, Clock::time_point asked,
                                      engine::LeaseTime wanted) noexcept {
  const engine::LeaseTime whole = handle.timeout();
  const engine::LeaseTime left = std::clamp<engine::LeaseTime>(
      handle.alive_from() + whole - asked, engine::LeaseTime::zero(), whole);
  return wanted.count() != 0 ? std::min(left, wanted) : left;
}

}  // namespace holdfast::zookeeper
