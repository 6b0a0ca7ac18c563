// holdfast/election.h - one leader among candidates on many hosts.
//
//   holdfast::Election election(client, "scheduler");
//   auto led = election.lead([&](std::stop_token over) {    // waits until it leads
//     while (!over.stop_requested()) schedule(election.token());
//   });                                                     // resigns
//
//   auto leader = election.leader();              // by anyone
//   if (leader && *leader) std::cout << (*leader)->payload << '\n';
//
// Leadership is a lease. It can be lost while you lead: watch `lost()`, and let what
// you command compare tokens. See docs/guarantees.md.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "holdfast/subscription.h"

namespace holdfast {

struct Leader {
  std::string payload;  // what it campaigned with; else the payload of its client
  std::string owner;    // in the engine's spelling; another one with every leadership
  FencingToken token;
  std::optional<std::chrono::system_clock::time_point> since;
};

// One object is one candidate, in any thread. Safe for concurrent use.
class HOLDFAST_EXPORT Election {
 public:
  Election(Client client, std::string name, LeaseOptions lease = {});
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;
  ~Election();  // resigns

  // Waits until this candidate leads. `payload` is shown to all who ask for the leader:
  // an address, say. Errc::bad_argument: it leads already. Otherwise as Mutex::acquire.
  [[nodiscard]] Result<void> campaign(std::string_view payload = {},
                                      const AcquireOptions& options = {});

  // Ends it, so that the next one can lead. Errc::not_held: it did not lead any more.
  Result<void> resign() noexcept;

  // Another payload for the leader that this is.
  Result<void> proclaim(std::string_view payload);

  // Campaigns, works, resigns, also when the work throws. `over` is requested when the
  // leadership is lost, or when `options.stop` is. Errc::not_held: it was lost before
  // the work had ended.
  Result<void> lead(const std::function<void(std::stop_token over)>& work,
                    std::string_view payload = {}, const AcquireOptions& options = {});

  // Of this candidate, by the clock of this host. Not leading: an empty token, and a
  // stop_token that has already been requested.
  bool is_leader() const noexcept;
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;
  std::chrono::nanoseconds valid_for() const noexcept;  // as in Hold

  // Whoever leads, as the engine sees it now. Nothing: nobody.
  Result<std::optional<Leader>> leader();

  // Tells who leads now, and every change from then on.
  Result<Subscription> observe(
      std::function<void(const std::optional<Leader>&)> listener,
      Executor executor = {});

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // also of what listens
};

}  // namespace holdfast
