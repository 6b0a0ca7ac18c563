#include "core/engine_table.h"

#include <algorithm>
#include <string>
#include <utility>

#if HOLDFAST_WITH_LOCAL
#include "engines/local/engine.h"
#endif
#if HOLDFAST_WITH_REDIS
#include "engines/redis/engine.h"
#endif

namespace holdfast::core {
namespace {

using Made = Result<std::unique_ptr<engine::Engine>>;

struct Row {
  std::string_view scheme;
  Made (*make)(const base::Uri& uri);  // null: not built in
};

#if HOLDFAST_WITH_LOCAL
Made make_local(const base::Uri& uri) {
  if (!uri.hosts.empty() || !uri.user.empty() || !uri.password.empty() ||
      !uri.query.empty()) {
    return Failure(Errc::bad_url,
                   "bad URL: local: takes a path alone, as in "
                   "local:///run/app/locks, with three slashes");
  }
  return local::make_engine(uri.path);
}
#else
constexpr Made (*make_local)(const base::Uri&) = nullptr;
#endif

#if HOLDFAST_WITH_REDIS
constexpr auto make_redis = redis::make_engine;
#else
constexpr Made (*make_redis)(const base::Uri&) = nullptr;
#endif

constexpr Row kRows[] = {
    {"local", make_local},  {"redis", make_redis}, {"rediss", make_redis},
    {"zookeeper", nullptr}, {"etcd", nullptr},     {"mysql", nullptr},
    {"quorum", nullptr},
};

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

Made make_engine(const base::Uri& uri) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.scheme == uri.scheme; });
  if (row != std::end(kRows) && row->make != nullptr) return row->make(uri);

  std::string text = row == std::end(kRows)
                         ? "there is no engine '" + uri.scheme + "'"
                         : "engine '" + uri.scheme + "' is not built in";
  text += "; this build has: ";
  text += built_in_engines().empty() ? "none" : built_in_engines();
  return Failure(Errc::no_engine, std::move(text));
}

std::string_view built_in_engines() noexcept {
  static const std::string names = names_of_built_in();
  return names;
}

}  // namespace holdfast::core
