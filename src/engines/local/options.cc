#include "engines/local/options.h"

#include <unistd.h>

namespace holdfast::local {
namespace {

Failure bad(const std::string& what) { return {Errc::bad_url, "bad URL: " + what}; }

// The values of the options, as they stand there.
struct Query {
  std::string mode;
  std::string group;
  std::string scope;
};

Result<Query> read_query(const base::Uri& uri) {
  Query query;
  for (const auto& [key, value] : uri.query) {
    std::string* const into = key == "mode"    ? &query.mode
                              : key == "group" ? &query.group
                              : key == "scope" ? &query.scope
                                               : nullptr;
    if (into == nullptr)
      return bad("local has no option \"" + key + "\"; it has group, mode, scope");
    if (value.empty()) return bad("?" + key + "= must not be empty");
    *into = value;
  }
  return query;
}

Result<Access> read_access(const Query& query) {
  Access access;
  if (query.mode == "0660") {
    access.mode = 0660;
  } else if (query.mode == "0666") {
    access.mode = 0666;
  } else if (!query.mode.empty() && query.mode != "0600") {
    return bad("?mode= must be 0600, 0660 or 0666");
  }
  if ((access.mode == 0660) == query.group.empty())
    return bad("?mode=0660 and ?group=NAME come together: that group may use the file");
  if (!query.group.empty()) {
    access.group = find_group(query.group);
    if (!access.group) return bad("there is no group \"" + query.group + "\" here");
  }
  return access;
}

Result<Options> read_scope(const Query& query) {
  if (!query.mode.empty() || !query.group.empty())
    return bad("?mode= and ?group= belong to a path, as in local:///run/app/locks");
  if (query.scope == "system")
    return Options{kSystemFile, {.mode = 0666, .group = {}, .of_root = true}};
  if (!query.scope.empty() && query.scope != "user")
    return bad("?scope= must be user or system");
  return Options{
      std::string(kUserFolder) + "/" + kUserFile + std::to_string(::geteuid()),
      {},
      query.scope.empty()};
}

}  // namespace

Result<Options> read_options(const base::Uri& uri) {
  if (!uri.hosts.empty() || !uri.user.empty() || !uri.password.empty())
    return bad(
        "local: takes a path alone, as in local:///run/app/locks, with three slashes");
  const auto query = read_query(uri);
  if (!query) return query.error();
  if (uri.path.empty()) return read_scope(*query);
  if (!query->scope.empty()) return bad("?scope= and a path do not go together");
  if (uri.path.front() != '/' || uri.path.back() == '/')
    return Failure(Errc::bad_url,
                   "the local engine wants the full path of a file, as "
                   "in local:///dev/shm/app-locks");
  const auto access = read_access(*query);
  if (!access) return access.error();
  return Options{uri.path, *access};
}

}  // namespace holdfast::local
