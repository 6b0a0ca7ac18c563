#include "core/engine_table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#if HOLDFAST_WITH_LOCAL
#include "engines/local/engine.h"
#endif
#if HOLDFAST_WITH_REDIS
#include "engines/redis/engine.h"
#endif
#if HOLDFAST_WITH_ZOOKEEPER
#include "engines/zookeeper/engine.h"
#endif
#if HOLDFAST_WITH_ETCD
#include "engines/etcd/engine.h"
#endif
#if HOLDFAST_WITH_MYSQL
#include "engines/mysql/engine.h"
#endif
#include "base/engine_options.h"
#include "core/open_session.h"
#include "engines/quorum/engine.h"
#include "holdfast/schema.h"

namespace holdfast::core {
namespace {

using Made = Result<std::unique_ptr<engine::Engine>>;

struct Row {
  std::string_view scheme;
  Made (*make)(const base::Uri& uri);  // null means that it is not built in
  std::string_view option = {};        // the CMake option that builds it in
  std::string_view packages = {};      // the Debian packages that this needs
  std::vector<std::string_view> (*options)() = nullptr;
  std::string_view (*schema)() noexcept = nullptr;  // null means that it has no tables
};

#if HOLDFAST_WITH_LOCAL
constexpr auto make_local = local::make_engine;
constexpr auto local_options = local::option_names;
#else
constexpr Made (*make_local)(const base::Uri&) = nullptr;
constexpr std::vector<std::string_view> (*local_options)() = nullptr;
#endif

#if HOLDFAST_WITH_REDIS
constexpr auto make_redis = redis::make_engine;
constexpr auto redis_options = redis::option_names;
#else
constexpr Made (*make_redis)(const base::Uri&) = nullptr;
constexpr std::vector<std::string_view> (*redis_options)() = nullptr;
#endif

#if HOLDFAST_WITH_ZOOKEEPER
constexpr auto make_zookeeper = zookeeper::make_engine;
constexpr auto zookeeper_options = zookeeper::option_names;
#else
constexpr Made (*make_zookeeper)(const base::Uri&) = nullptr;
constexpr std::vector<std::string_view> (*zookeeper_options)() = nullptr;
#endif

#if HOLDFAST_WITH_ETCD
constexpr auto make_etcd = etcd::make_engine;
constexpr auto etcd_options = etcd::option_names;
#else
constexpr Made (*make_etcd)(const base::Uri&) = nullptr;
constexpr std::vector<std::string_view> (*etcd_options)() = nullptr;
#endif

#if HOLDFAST_WITH_MYSQL
constexpr auto make_mysql = mysql::make_engine;
constexpr auto mysql_options = mysql::option_names;
constexpr auto mysql_schema = mysql::schema;
#else
constexpr Made (*make_mysql)(const base::Uri&) = nullptr;
constexpr std::vector<std::string_view> (*mysql_options)() = nullptr;
constexpr std::string_view (*mysql_schema)() noexcept = nullptr;
#endif

Made make_quorum(const base::Uri& uri);

// The client libraries by the names of their Debian packages.
constexpr std::string_view kRedisPackages = "libhiredis-dev libssl-dev";
constexpr std::string_view kZookeeperPackages = "libzookeeper-mt-dev";
constexpr std::string_view kEtcdPackages =
    "libgrpc++-dev libprotobuf-dev protobuf-compiler";
constexpr std::string_view kMysqlPackages = "libmariadb-dev";

// clang-format off
constexpr Row kRows[] = {
    {"local", make_local, "LOCAL", "", local_options},
    {"redis", make_redis, "REDIS", kRedisPackages, redis_options},
    {"rediss", make_redis, "REDIS", kRedisPackages, redis_options},
    {"zookeeper", make_zookeeper, "ZOOKEEPER", kZookeeperPackages, zookeeper_options},
    {"zookeepers", make_zookeeper, "ZOOKEEPER", kZookeeperPackages, zookeeper_options},
    {"etcd", make_etcd, "ETCD", kEtcdPackages, etcd_options},
    {"etcds", make_etcd, "ETCD", kEtcdPackages, etcd_options},
    {"mysql", make_mysql, "MYSQL", kMysqlPackages, mysql_options, mysql_schema},
    {"quorum", make_quorum, "", ""},
};
// clang-format on

const Row* find_row(std::string_view scheme) {
  const auto row = std::ranges::find(kRows, scheme, &Row::scheme);
  return row != std::end(kRows) ? row : nullptr;
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

// An engine with two schemes is named by the first.
std::string names_of_built_in() {
  std::string names;
  decltype(Row::make) last = nullptr;
  for (const Row& row : kRows) {
    if (row.make == nullptr || row.make == last) continue;
    if (!names.empty()) names += ' ';
    names += row.scheme;
    last = row.make;
  }
  return names;
}

}  // namespace

Failure not_built_in(const std::string& scheme) {
  const Row* const row = find_row(scheme);
  std::string text = row == nullptr ? "there is no engine '" + scheme + "'"
                                    : "engine '" + scheme + "' is not built in";
  text += "; this build has: ";
  text += built_in_engines().empty() ? "none" : built_in_engines();
  if (row != nullptr) {
    text += "; to add it, ";
    if (!row->packages.empty()) {
      text += "install the packages " + std::string(row->packages) + " and ";
    }
    text += "build with -DHOLDFAST_ENGINE_" + std::string(row->option) + "=ON";
  }
  return {Errc::no_engine, std::move(text)};
}

Made make_engine(const base::Uri& uri) {
  const Row* const row = find_row(uri.scheme);
  if (row != nullptr && row->make != nullptr) return row->make(uri);
  Failure why = not_built_in(uri.scheme);
  why.context.insert(0, uri.origin.prefix("type"));
  return why;
}

std::vector<std::string_view> option_names(std::string_view scheme) {
  const Row* const row = find_row(scheme);
  if (row == nullptr || row->options == nullptr) return {};
  return row->options();
}

std::string_view built_in_engines() noexcept {
  static const std::string names = names_of_built_in();
  return names;
}

}  // namespace holdfast::core

namespace holdfast::inline v0 {

Result<std::string_view> schema(std::string_view engine) {
  const core::Row* const row = core::find_row(engine);
  if (row == nullptr || row->make == nullptr) {
    return core::not_built_in(std::string(engine));
  }
  if (row->schema == nullptr) {
    return Failure(Errc::unsupported,
                   "engine '" + std::string(engine) + "' needs no tables");
  }
  return row->schema();
}

}  // namespace holdfast::inline v0
