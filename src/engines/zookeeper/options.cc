// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/options.h"

#include <utility>

#include "base/engine_options.h"
#include "engines/zookeeper/engine.h"
#include "engines/zookeeper/names.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::uint16_t kPort = 2181;

using base::choose;
using base::Text;

struct Draft : Options {
  std::string password_file;
};

constexpr base::Word<bool> kNames[] = {{"encoded", false}, {"raw", true}};

Result<void> read_tick(Text value, std::optional<std::chrono::milliseconds>& out) {
  auto done = base::read_span(value, out.emplace());
  if (done && out->count() == 0) return Failure(Errc::bad_url, "a duration such as 2s");
  return done;
}

constexpr base::Option<Draft> kOptions[] = {
    {"hand_over",
     [](Draft& d, Text v) { return choose(base::kNoYes, v, d.hand_over); }},
    {"names", [](Draft& d, Text v) { return choose(kNames, v, d.raw_names); }},
    {"password_file",
     [](Draft& d, Text v) { return base::read_text(v, d.password_file); }},
    {"tick_time", [](Draft& d, Text v) { return read_tick(v, d.tick_time); }},
};

Result<std::string> read_root(const base::Uri& uri) {
  std::string path = uri.path;
  while (path.ends_with('/')) path.pop_back();
  if (!path.empty() && !is_path(path)) {
    return uri.bad("path", "after the hosts comes a path such as /app/locks");
  }
  return path;
}

}  // namespace

std::string Options::spelt() const { return base::spell(hosts); }

std::vector<std::string_view> option_names() { return base::names_of(kOptions); }

Result<Options> read_options(const base::Uri& uri) {
  if (uri.scheme == "zookeepers") {
    return Failure(Errc::unsupported,
                   "zookeepers:// needs a libzookeeper with TLS, and the one that this "
                   "build uses has none; see docs/engines/zookeeper.md");
  }
  Draft draft;
  auto done = base::read_options({"ZooKeeper"}, kOptions, uri, draft);
  if (!done) return std::move(done).error();
  draft.hosts = base::hosts_of(uri, kPort);
  auto root = read_root(uri);
  if (!root) return std::move(root).error();
  draft.root = *std::move(root);
  done = base::read_login(uri, draft.password_file, draft.user, draft.password);
  if (!done) return std::move(done).error();
  return static_cast<Options>(std::move(draft));
}

}  // namespace holdfast::zookeeper
