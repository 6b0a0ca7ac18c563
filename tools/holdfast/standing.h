// tools/holdfast/standing.h - how things stand with a resource.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::cli {

std::string_view kind_name(engine::Kind kind);
bool is_claim_kind(engine::Kind kind);

struct Standing {
  engine::Address address;
  std::vector<engine::Entry> holders = {};
  std::vector<engine::Entry> waiters = {};  // in the order of the queue
  std::optional<engine::Value> value = {};  // of a register that is there
};

// Of one resource.
Result<Standing> look(const Client& client, const engine::Address& address);

// Of everything whose name starts so, by name. What ended between listing and looking
// is left out.
Result<std::vector<Standing>> look_all(const Client& client, std::string_view prefix);

// Of every kind that is live under exactly this name.
Result<std::vector<Standing>> look_named(const Client& client, std::string_view name);

// Ends one granted claim. Errc::not_held: it had ended by itself.
Result<void> evict(const Client& client, const engine::Address& address,
                   std::string_view owner);

}  // namespace holdfast::cli
