#include "core/engine_table.h"

#include <algorithm>
#include <string>
#include <utility>

#if HOLDFAST_WITH_LOCAL
#include "engines/local/engine.h"
#endif

namespace holdfast::core {
namespace {

using Made = Result<std::unique_ptr<engine::Engine>>;

struct Row {
  std::string_view scheme;
  Made (*make)(const base::Uri& uri);  // null: not built in
};

#if HOLDFAST_WITH_LOCAL
constexpr std::string_view kBuiltIn = "local";

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
constexpr std::string_view kBuiltIn;
constexpr Made (*make_local)(const base::Uri&) = nullptr;
#endif

constexpr Row kRows[] = {
    {"local", make_local},  {"redis", nullptr}, {"rediss", nullptr},
    {"zookeeper", nullptr}, {"etcd", nullptr},  {"mysql", nullptr},
    {"quorum", nullptr},
};

}  // namespace

Made make_engine(const base::Uri& uri) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.scheme == uri.scheme; });
  if (row != std::end(kRows) && row->make != nullptr) return row->make(uri);

  std::string text = row == std::end(kRows)
                         ? "there is no engine '" + uri.scheme + "'"
                         : "engine '" + uri.scheme + "' is not built in";
  text += "; this build has: ";
  text += kBuiltIn.empty() ? "none" : kBuiltIn;
  return Failure(Errc::no_engine, std::move(text));
}

std::string_view built_in_engines() noexcept { return kBuiltIn; }

}  // namespace holdfast::core
