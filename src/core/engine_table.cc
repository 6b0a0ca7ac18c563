// SPDX-License-Identifier: Apache-2.0

#include "core/engine_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/engine_entry.h"
#include "base/engine_options.h"
#include "core/engine_library.h"
#include "core/open_session.h"
#include "engines/etcd/engine.h"
#include "engines/local/engine.h"
#include "engines/mysql/engine.h"
#include "engines/quorum/engine.h"
#include "engines/redis/engine.h"
#include "engines/zookeeper/engine.h"
#include "holdfast/schema.h"

// A program that is linked with an engine has its entry. In others the address is null.
#if !HOLDFAST_WITH_LOCAL
#pragma weak holdfast_local_engine_v0
#endif
#pragma weak holdfast_redis_engine_v0
#pragma weak holdfast_zookeeper_engine_v0
#pragma weak holdfast_etcd_engine_v0
#pragma weak holdfast_mysql_engine_v0

namespace holdfast::core {
namespace {

using Made = Result<std::unique_ptr<engine::Engine>>;
using base::EngineEntry;

struct Row {
  std::string_view engine;                  // the scheme, which also names the library
  std::string_view with_tls;                // the scheme with TLS, or empty
  const EngineEntry* (*linked)() noexcept;  // null if it is not linked to the program
  bool built;                               // whether it was built with this core
  std::string_view packages;                // the Debian packages that it needs
  // What may follow the scheme after a plus sign, and tells how the servers are found.
  std::array<std::string_view, 2> forms = {};
};

Made make_quorum(const base::Uri& uri);

const EngineEntry* quorum_entry() noexcept {
  static constexpr EngineEntry kEntry{.make = make_quorum, .option_names = [] {
                                        return std::vector<std::string_view>();
                                      }};
  return &kEntry;
}

// clang-format off
constexpr Row kRows[] = {
    {"local", "", holdfast_local_engine_v0, HOLDFAST_WITH_LOCAL, ""},
    {"redis", "rediss", holdfast_redis_engine_v0, HOLDFAST_WITH_REDIS,
     "libhiredis-dev libssl-dev", {"+cluster", "+sentinel"}},
    {"zookeeper", "zookeepers", holdfast_zookeeper_engine_v0, HOLDFAST_WITH_ZOOKEEPER,
     "libzookeeper-mt-dev"},
    {"etcd", "etcds", holdfast_etcd_engine_v0, HOLDFAST_WITH_ETCD,
     "libgrpc++-dev libprotobuf-dev protobuf-compiler"},
    {"mysql", "", holdfast_mysql_engine_v0, HOLDFAST_WITH_MYSQL, "libmariadb-dev"},
    {"quorum", "", quorum_entry, true, ""},
};
// clang-format on

const Row* find_row(std::string_view scheme) {
  const auto plus = std::min(scheme.find('+'), scheme.size());
  const auto form = scheme.substr(plus);
  scheme = scheme.substr(0, plus);
  const auto row = std::ranges::find_if(kRows, [&](const Row& each) {
    return each.engine == scheme || (each.with_tls == scheme && !scheme.empty());
  });
  if (row == std::end(kRows)) return nullptr;
  return form.empty() || std::ranges::find(row->forms, form) != row->forms.end()
             ? row
             : nullptr;
}

// A node that is named twice would have two votes.
Made make_quorum(const base::Uri& uri) {
  std::vector<std::unique_ptr<engine::Engine>> nodes;
  for (auto part = uri.parts.begin(); part != uri.parts.end(); ++part) {
    const std::string which = "node " + std::to_string(nodes.size() + 1);
    const auto same = [&](const base::Uri& other) {
      return other.redacted() == part->redacted();
    };
    if (std::any_of(uri.parts.begin(), part, same)) {
      return part->bad("node", which + " of the quorum is named twice");
    }
    if (find_row(part->scheme) == nullptr) {
      return Failure(Errc::no_engine,
                     which + " of the quorum is of an engine that does not exist");
    }
    auto node = make_engine(*part);
    if (!node && !part->origin.file.empty()) return node;  // its line names the node
    if (!node) {
      return Failure(node.error().code,
                     which + " of the quorum: " + node.error().context);
    }
    const auto retry = base::read_retry(*part, {});
    if (!retry) return retry.error();
    nodes.push_back(with_retry(*std::move(node), *part));
  }
  auto made = quorum::make_engine(std::move(nodes));
  if (!made) return uri.bad("type", made.error().context);
  return made;
}

bool is_there(const Row& row) {
  return row.linked != nullptr || (row.built && is_installed(std::string(row.engine)));
}

Result<const EngineEntry*> find_entry(const std::string& scheme) {
  const Row* const row = find_row(scheme);
  if (row != nullptr && row->linked != nullptr) return row->linked();
  if (row != nullptr && row->built) return load_engine(std::string(row->engine));
  return not_built_in(scheme);
}

std::string names_of_engines() {
  std::string names;
  for (const Row& row : kRows) {
    if (!is_there(row)) continue;
    if (!names.empty()) names += ' ';
    names += row.engine;
  }
  return names;
}

// CMake's option that builds the engine.
std::string option_of(const Row& row) {
  std::string option = "HOLDFAST_ENGINE_";
  for (const char letter : row.engine) option += static_cast<char>(letter - 'a' + 'A');
  return option;
}

}  // namespace

Failure not_built_in(const std::string& scheme) {
  const Row* const row = find_row(scheme);
  std::string text = row == nullptr ? "there is no engine '" + scheme + "'"
                                    : "engine '" + scheme + "' is not built in";
  text += "; this build has: ";
  text += available_engines().empty() ? "none" : available_engines();
  if (row != nullptr) {
    text += "; to add it, ";
    if (!row->packages.empty()) {
      text += "install the packages " + std::string(row->packages) + " and ";
    }
    text += "build with -D" + option_of(*row) + "=ON";
  }
  return {Errc::no_engine, std::move(text)};
}

Made make_engine(const base::Uri& uri) {
  auto entry = find_entry(uri.scheme);
  if (entry) return (*entry)->make(uri);
  Failure why = std::move(entry).error();
  why.context.insert(0, uri.origin.prefix("type"));
  return why;
}

std::vector<std::string_view> option_names(std::string_view scheme) {
  const auto entry = find_entry(std::string(scheme));
  if (!entry) return {};
  return (*entry)->option_names();
}

std::string_view available_engines() noexcept {
  static const std::string names = names_of_engines();
  return names;
}

}  // namespace holdfast::core

namespace holdfast::inline v0 {

Result<std::string_view> schema(std::string_view engine) {
  const auto entry = core::find_entry(std::string(engine));
  if (!entry) return entry.error();
  if ((*entry)->schema == nullptr) {
    return Failure(Errc::unsupported,
                   "engine '" + std::string(engine) + "' needs no tables");
  }
  return (*entry)->schema();
}

}  // namespace holdfast::inline v0
