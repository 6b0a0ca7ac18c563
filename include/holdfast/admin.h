// SPDX-License-Identifier: Apache-2.0

// holdfast/admin.h - for operators: which clients hold a name or wait for it, and how
// to free it.
//
//   const auto found = holdfast::inspect(client, "stock/1001").value();
//   for (const auto& each : found) {
//     std::cout << holdfast::kind_name(each.address.kind) << '\n';
//     for (const auto& holder : each.holders) std::cout << holder.payload << '\n';
//   }
//   auto gone = holdfast::remove(client, "stock/1001/left");   // a counter, say
//   if (gone.value_or(false)) std::cout << "the name is free again\n";
//   auto ended = holdfast::end_hold(client, "stock/1001", {184});
//
// None of these calls waits for other clients or takes a place in a queue. What they
// return was true when the engine was asked. On some engines a listing is costly, and
// some kinds are stored alike; docs/cli.md says which. Every call is safe for
// concurrent use. Every call may fail with Errc::unavailable, closed or forked, and
// those that take a name with Errc::bad_name; further errors stand with each call.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/engine/claim.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// The state of one kind of primitive under one name. `waiters` are in the order of the
// queue. `value` is the number of a counter, shared count, latch or barrier, or the
// capacity of a semaphore where the engine can tell it from another number; it is
// nullopt if none is stored.
struct ResourceState {
  engine::Address address;
  std::vector<engine::Entry> holders = {};
  std::vector<engine::Entry> waiters = {};
  std::optional<engine::Value> value = {};

  bool in_use() const noexcept { return !holders.empty() || !waiters.empty(); }
};

// The name of a kind, as in "fair_mutex"; and the kind of a name, or nullopt if no kind
// has that name.
HOLDFAST_EXPORT std::string_view kind_name(engine::Kind kind) noexcept;
HOLDFAST_EXPORT std::optional<engine::Kind> kind_named(std::string_view text) noexcept;

// Returns the state of every kind that is held, awaited or stored under exactly this
// name; the vector is empty if there is none. Where two kinds are stored alike, the
// first of them stands for both: a fair mutex on ZooKeeper is shown as a mutex, and an
// idle semaphore on Redis as a counter.
HOLDFAST_EXPORT Result<std::vector<ResourceState>> inspect(const Client& client,
                                                           std::string_view name);

// Returns the state of one kind, whether it is in use or not. Errc::wrong_kind: the
// name is used by another kind.
HOLDFAST_EXPORT Result<ResourceState> inspect(const Client& client,
                                              const engine::Address& address);

// Returns the state of everything whose name starts with `prefix` and that is in use or
// stored, sorted by name. What ended between the listing and the look at it is left
// out.
HOLDFAST_EXPORT Result<std::vector<ResourceState>> list(const Client& client,
                                                        std::string_view prefix = {});

// Removes what is stored under a name, of `kind` or of whichever kind it is: the number
// of a counter or shared count, a latch, a barrier, the capacity of a semaphore. The
// name is then free for any kind. Returns true if something was removed, and false if
// nothing was stored. Clients that wait for a removed latch or barrier go on, since one
// that does not exist is open.
//
// It takes nothing away from a holder or a waiter: while the name is held or awaited,
// it fails with Errc::timed_out, and the message names the holder; `end_hold` ends a
// hold. Errc::wrong_kind: the name is used by another kind than `kind`.
// Errc::unsupported: the engine does not have the kind; a quorum stores no numbers.
HOLDFAST_EXPORT Result<bool> remove(const Client& client, std::string_view name,
                                    std::optional<engine::Kind> kind = {});

// Ends the hold of this name that has this token, and no other. Returns its kind and
// the holder that it was taken from. The holder's `lost()` is requested; a program that
// does not watch it goes on working, and only a fence keeps it out. Errc::not_held:
// this name is not, or no longer, held under this token. Errc::unsupported: the engine
// has no tokens.
HOLDFAST_EXPORT Result<ResourceState> end_hold(const Client& client,
                                               std::string_view name,
                                               FencingToken token);

}  // namespace holdfast::inline v0
