// SPDX-License-Identifier: Apache-2.0

#include "engines/local/other_users.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string_view>

#include "base/parse_whole.h"
#include "engines/local/memory/access.h"
#include "engines/local/options.h"

namespace holdfast::local {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

// Returns the user whose segment would have that name.
std::optional<uid_t> user_of(std::string_view name) {
  const std::string_view start = kUserFile;
  if (!name.starts_with(start)) return std::nullopt;
  name.remove_prefix(start.size());
  return base::parse_whole<uid_t>(name);
}

std::optional<uid_t> find_other_user() {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(kUserFolder));
  if (folder == nullptr) return std::nullopt;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const auto user = user_of(entry->d_name);
    if (!user || *user == ::geteuid()) continue;
    struct stat status {};
    // Any user can create a file with another user's number in its name.
    if (::fstatat(::dirfd(folder.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ==
            0 &&
        S_ISREG(status.st_mode) && status.st_uid == *user)
      return user;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> warn_of_other_users() {
  const auto other = find_other_user();
  if (!other) return {};
  return {"these locks are those of user " + user_name(::geteuid()) +
          " alone, and user " + user_name(*other) +
          " has locks on this host, too, which do not exclude them; "
          "local:?scope=system is for all users, local:?scope=user says that this is "
          "meant"};
}

}  // namespace holdfast::local
