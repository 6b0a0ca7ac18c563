// SPDX-License-Identifier: Apache-2.0

#include "engines/local/options.h"

#include <unistd.h>

#include "base/engine_options.h"
#include "engines/local/engine.h"
namespace holdfast::local {
namespace {

using base::read_text;
using base::Text;

// These are the options' values as the URL has them.
struct Query {
  std::string mode;
  std::string group;
  std::string scope;
};

constexpr base::Option<Query> kOptions[] = {
    {"group", [](Query& q, Text v) { return read_text(v, q.group); }},
    {"mode", [](Query& q, Text v) { return read_text(v, q.mode); }},
    {"scope", [](Query& q, Text v) { return read_text(v, q.scope); }},
};

Result<Access> read_access(const base::Uri& uri, const Query& query) {
  Access access;
  if (query.mode == "0660") {
    access.mode = 0660;
  } else if (query.mode == "0666") {
    access.mode = 0666;
  } else if (!query.mode.empty() && query.mode != "0600") {
    return uri.bad("mode", uri.spell("mode") + " must be 0600, 0660 or 0666");
  }
  if ((access.mode == 0660) == query.group.empty()) {
    return uri.bad(query.group.empty() ? "mode" : "group",
                   uri.spell("mode") + " (0660) and " + uri.spell("group") +
                       " come together: that group may use the file");
  }
  if (!query.group.empty()) {
    access.group = find_group(query.group);
    if (!access.group) {
      return uri.bad("group", "there is no group \"" + query.group + "\" here");
    }
  }
  return access;
}

Result<Options> read_scope(const base::Uri& uri, const Query& query) {
  if (!query.mode.empty() || !query.group.empty()) {
    return uri.bad(query.mode.empty() ? "group" : "mode",
                   uri.spell("mode") + " and " + uri.spell("group") +
                       " belong to a path, as in local:///run/app/locks");
  }
  if (query.scope == "system") {
    return Options{kSystemFile, {.mode = 0666, .group = {}, .of_root = true}};
  }
  if (!query.scope.empty() && query.scope != "user") {
    return uri.bad("scope", uri.spell("scope") + " must be user or system");
  }
  return Options{
      std::string(kUserFolder) + "/" + kUserFile + std::to_string(::geteuid()),
      {},
      query.scope.empty()};
}

}  // namespace

std::vector<std::string_view> option_names() { return base::names_of(kOptions); }

Result<Options> read_options(const base::Uri& uri) {
  if (!uri.hosts.empty() || !uri.user.empty() || !uri.password.empty()) {
    return uri.bad(
        "type",
        "local: takes a path alone, as in local:///run/app/locks, with three slashes");
  }
  Query query;
  const auto read = base::read_options({"local"}, kOptions, uri, query);
  if (!read) return read.error();
  if (uri.path.empty()) return read_scope(uri, query);
  if (!query.scope.empty()) {
    return uri.bad("scope", uri.spell("scope") + " and a path do not go together");
  }
  if (uri.path.front() != '/' || uri.path.back() == '/') {
    return uri.bad("path",
                   "the local engine wants the full path of a file, as in "
                   "local:///dev/shm/app-locks");
  }
  const auto access = read_access(uri, query);
  if (!access) return access.error();
  return Options{uri.path, *access};
}

}  // namespace holdfast::local
