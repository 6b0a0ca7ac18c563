// SPDX-License-Identifier: Apache-2.0

// holdfast/election.h - one leader among candidates on many hosts.
//
//   holdfast::Election election(client, "scheduler");
//   auto led = election.lead([&](std::stop_token over) {    // waits until it leads
//     while (!over.stop_requested()) schedule(election.token());
//   });                                                     // resigns
//
//   auto leader = election.leader();              // by any client
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
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "holdfast/subscription.h"

namespace holdfast::inline v0 {

// A leader as every client sees it. `payload` is what it campaigned with, or else the
// payload of its client. `owner` identifies this leadership in the engine's own
// spelling; the same candidate has another one when it leads again.
struct Leader {
  std::string payload;
  std::string owner;
  FencingToken token;
  std::optional<std::chrono::system_clock::time_point> since;
};

// One object is one candidate, whichever threads use it. An Election is safe for
// concurrent use. The constructor reports no error: a name that is not allowed makes
// every later call fail.
class HOLDFAST_EXPORT Election {
 public:
  Election(Client client, std::string name, LeaseOptions lease = {});
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;
  ~Election();  // resigns, and does not report errors

  // Waits until this candidate leads. `payload`, an address for example, is shown to
  // every client that asks for the leader. Errc::bad_argument: this candidate leads
  // already. The other errors are those of Mutex::acquire.
  [[nodiscard]] Result<void> campaign(std::string_view payload = {},
                                      const WaitOptions& options = {});

  // Does the same without a thread that waits; see holdfast/completion.h. If this
  // object is destroyed before the call is done, its leadership ends as soon as it
  // begins.
  void campaign_async(std::string_view payload, const WaitOptions& options,
                      Completion<void> done);

  // Gives up the leadership, so that the next candidate can lead. Errc::not_held: this
  // candidate did not lead, or no longer.
  Result<void> resign() noexcept;
  void resign_async(Completion<void> done);

  // Changes the payload of this candidate while it leads. Calls are served one after
  // the other. Errc::not_held: it does not lead.
  Result<void> proclaim(std::string_view payload);
  void proclaim_async(std::string_view payload, Completion<void> done);

  // Campaigns, calls `work`, and resigns, also when `work` throws. `over` is requested
  // when the leadership is lost or `options.stop` is requested; `work` should then
  // return soon. Errc::not_held: the leadership was lost before `work` had returned. It
  // has no asynchronous form, because `work` runs in the calling thread.
  Result<void> lead(const std::function<void(std::stop_token over)>& work,
                    std::string_view payload = {}, const WaitOptions& options = {});

  // These describe the leadership of this candidate, by the clock of this host; the
  // last three are as in `Hold`: a leadership that was lost keeps its token until
  // `resign()` or the next `campaign()`. Without a leadership the token is empty, the
  // stop_token has already been requested, and the time is zero.
  bool is_leader() const noexcept;
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;
  std::chrono::nanoseconds valid_for() const noexcept;

  // Returns the present leader as the engine sees it, or nullopt if there is none.
  Result<std::optional<Leader>> leader();
  void leader_async(Completion<std::optional<Leader>> done);

  // Calls `listener` with the present leader, and again after every change of the
  // leader or of its payload. It is called with nullopt while no candidate leads. The
  // call itself does not wait for the engine.
  Result<Subscription> observe(
      std::function<void(const std::optional<Leader>&)> listener,
      Executor executor = {});

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // shared with the subscriptions
};

}  // namespace holdfast::inline v0
