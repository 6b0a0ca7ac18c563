// tools/holdfast/standing.h - how things stand with a resource.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::cli {

// By when an engine must have answered.
engine::Deadline soon();

std::string_view kind_name(engine::Kind kind);
bool is_claim_kind(engine::Kind kind);
std::span<const engine::Kind> claim_kinds();

struct Standing {
  engine::Address address;
  std::vector<engine::Entry> holders = {};
  std::vector<engine::Entry> waiters = {};  // in the order of the queue
  // Of a register that is there; the permits of a semaphore, where they are known.
  std::optional<engine::Value> value = {};

  bool in_use() const { return !holders.empty() || !waiters.empty(); }
};

// Of one resource.
Result<Standing> look(const Client& client, const engine::Address& address);

// Of everything whose name starts so, by name. What ended between listing and looking
// is left out.
Result<std::vector<Standing>> look_all(const Client& client, std::string_view prefix);

// Of every kind that is live under exactly this name; of those that are held or
// awaited.
Result<std::vector<Standing>> look_named(const Client& client, std::string_view name);
Result<std::vector<Standing>> look_held(const Client& client, std::string_view name);

// Ends one granted claim. Errc::not_held: it had ended by itself.
Result<void> evict(const Client& client, const engine::Address& address,
                   std::string_view owner);

}  // namespace holdfast::cli
