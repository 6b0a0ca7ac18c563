// holdfast/admin.h - for operators: who holds a name, who waits for it, and how to free
// it.
//
//   for (const auto& each : holdfast::inspect(client, "stock/1001").value()) {
//     std::cout << holdfast::kind_name(each.address.kind) << '\n';
//     for (const auto& holder : each.holders) std::cout << holder.payload << '\n';
//   }
//   auto gone = holdfast::remove(client, "stock/1001/left");   // a counter, say
//   if (gone.value_or(false)) std::cout << "the name is free again\n";
//   auto ended = holdfast::end_hold(client, "stock/1001", {184});
//
// These calls look and change at once: none of them waits for other clients, and none
// takes a place in a queue. What they return was true when the engine was asked. On
// some engines a listing is costly, and some kinds are stored alike: docs/cli.md says
// which. Each call is safe for concurrent use.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/engine/claim.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast {

// One kind that is in use under one name.
struct ResourceState {
  engine::Address address;
  std::vector<engine::Entry> holders = {};
  std::vector<engine::Entry> waiters = {};  // in the order of the queue
  // Of a counter, shared count, latch or barrier; the permits of a semaphore, where the
  // engine can tell them from another number. Nothing: none is stored.
  std::optional<engine::Value> value = {};

  bool in_use() const noexcept { return !holders.empty() || !waiters.empty(); }
};

// "fair_mutex"; and back. Nothing: no kind is called so.
HOLDFAST_EXPORT std::string_view kind_name(engine::Kind kind) noexcept;
HOLDFAST_EXPORT std::optional<engine::Kind> kind_named(std::string_view text) noexcept;

// Every kind that is held, awaited or stored under exactly this name. Empty: none is.
// Where two kinds are stored alike, the first of them stands for both: a fair mutex on
// ZooKeeper is a mutex, an idle semaphore on Redis is a counter.
HOLDFAST_EXPORT Result<std::vector<ResourceState>> inspect(const Client& client,
                                                           std::string_view name);

// The same of one kind, whether it is in use or not. Errc::wrong_kind: the name is used
// by another one.
HOLDFAST_EXPORT Result<ResourceState> inspect(const Client& client,
                                              const engine::Address& address);

// Everything in use whose name starts with `prefix`, by name. What ended between
// listing and looking is left out.
HOLDFAST_EXPORT Result<std::vector<ResourceState>> list(const Client& client,
                                                        std::string_view prefix = {});

// Removes what is stored under a name, of this kind or of whichever it is: the number
// of a counter or shared count, a latch, a barrier, the permits of a semaphore. The
// name is then free for any kind. True: something was removed; false: nothing is
// stored.
//
// It takes nothing away from anyone: Errc::timed_out, with a sentence, while the name
// is held or awaited (see `end_hold`). Those who wait for a latch or barrier go on,
// since one that is not there is open. Errc::wrong_kind: `kind` is not what the name
// is. Errc::unsupported: the engine has no such kind, as a quorum stores no numbers.
HOLDFAST_EXPORT Result<bool> remove(const Client& client, std::string_view name,
                                    std::optional<engine::Kind> kind = {});

// Ends the hold that has this token, and no other: its kind, and the holder from which
// it was taken. The holder is told that it is lost; one that does not listen goes on
// working, and only a fence keeps it out. Errc::not_held: nothing of this name is held
// under this token, any more or at all. Errc::unsupported: the engine has no tokens.
HOLDFAST_EXPORT Result<ResourceState> end_hold(const Client& client,
                                               std::string_view name,
                                               FencingToken token);

}  // namespace holdfast
