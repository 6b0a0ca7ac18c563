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

// A server closes the connection of those that do not speak its protocol, in silence.
constexpr base::ServerProbe kZookeeper = {
    "ZooKeeper", [](std::string_view said) { return !said.empty(); }};

// The library tries again for ever and does not tell why.
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
  if (code != ZOK && code != ZNONODE) return failure_of(code, "look at our root");
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

std::string Backend::id_of(engine::Ticket ticket) const {
  base::Uuid id = client_;
  const auto number = static_cast<std::uint64_t>(ticket);
  for (std::size_t i = 0; i < 8; ++i) {
    id[8 + i] = static_cast<std::uint8_t>(id[8 + i] ^ (number >> (56 - 8 * i)));
  }
  return base::to_string(id);
}

// From the top, in one go: what is there already, or is not ours to make, says so and
// harms nothing; the last one decides.
Result<void> Backend::make_parents(const std::string& path, engine::Deadline until) {
  auto handle = sessions_.handle(until);
  if (!handle) return std::move(handle).error();
  Batch batch(*std::move(handle));
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
    return Failure(Errc::wrong_kind, "nothing can be made below " + parent);
  }
  if (code != ZNONODE) return failure_of(code, "create " + parent);
  // One of them was removed in between, as ZooKeeper does with empty ones.
  for (std::size_t i = 0; i < last; ++i) {
    if (batch[i].code == ZNOAUTH) return failure_of(ZNOAUTH, "create " + parent);
  }
  return {};
}

engine::Lease Backend::lease_from(const Handle& handle, Clock::time_point asked,
                                  engine::Lease wanted) noexcept {
  const engine::Lease whole = handle.timeout();
  const engine::Lease left = std::clamp<engine::Lease>(
      handle.alive_from() + whole - asked, engine::Lease::zero(), whole);
  return wanted.count() != 0 ? std::min(left, wanted) : left;
}

}  // namespace holdfast::zookeeper
