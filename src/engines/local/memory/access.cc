// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/access.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "base/parse_whole.h"
#include "engines/local/errors.h"

namespace holdfast::local {
namespace {

// The answer for a large group lists all its members.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// Queries the system's tables with a buffer as large as the answer needs. `ask` returns
// an error code; ERANGE means that the buffer was too small.
template <class Entry, class Ask>
void ask_table(Ask ask) {
  Entry entry{};
  std::size_t bytes = 1024;
  int error = ERANGE;
  while (error == ERANGE && bytes <= kMostBytes) {
    std::vector<char> room(bytes);
    Entry* found = nullptr;
    error = ask(&entry, room.data(), room.size(), &found);
    bytes *= 4;
  }
}

std::string spelt(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", mode & 07777);
  return text.data();
}

Failure denied(const std::string& sentence) { return {Errc::denied, sentence}; }

Failure wrong_mode(const std::string& path, const struct stat& file,
                   const Access& access) {
  const std::string found = path + " has mode " + spelt(file.st_mode);
  if (access.shared())
    return denied(found + " where " + spelt(access.mode) +
                  " is asked for; chmod it, or change the URL");
  return denied(found +
                " and is open to other users; chmod it to 0600, or share it on purpose "
                "with ?mode=0660&group=NAME in the URL");
}

}  // namespace

std::optional<gid_t> find_group(const std::string& text) {
  const auto number = base::parse_whole<gid_t>(text);
  if (number && *number != gid_t(-1)) return number;
  std::optional<gid_t> found;
  ask_table<group>([&](group* entry, char* room, std::size_t bytes, group** out) {
    const int error = ::getgrnam_r(text.c_str(), entry, room, bytes, out);
    if (*out != nullptr) found = entry->gr_gid;
    return error;
  });
  return found;
}

std::string user_name(uid_t user) {
  std::string name = std::to_string(user);
  ask_table<passwd>([&](passwd* entry, char* room, std::size_t bytes, passwd** out) {
    const int error = ::getpwuid_r(user, entry, room, bytes, out);
    if (*out != nullptr) name = entry->pw_name;
    return error;
  });
  return name;
}

std::string group_name(gid_t group) {
  std::string name = std::to_string(group);
  ask_table<struct group>(
      [&](struct group* entry, char* room, std::size_t bytes, struct group** out) {
        const int error = ::getgrgid_r(group, entry, room, bytes, out);
        if (*out != nullptr) name = entry->gr_name;
        return error;
      });
  return name;
}

Result<void> check_access(const std::string& path, const struct stat& file,
                          const Access& access) {
  const auto owner = access.of_root ? uid_t{0} : ::geteuid();
  if (file.st_uid != owner && access.of_root)
    return denied(path + " belongs to user " + user_name(file.st_uid) +
                  " instead of root; let root remove it");
  if (file.st_uid != owner && !access.shared())
    return denied(path + " belongs to another user, " + user_name(file.st_uid) +
                  "; name another path in the URL, or share it with "
                  "?mode=0660&group=NAME");
  if ((file.st_mode & 07777) != access.mode) return wrong_mode(path, file, access);
  if (access.group && file.st_gid != *access.group)
    return denied(path + " belongs to group " + group_name(file.st_gid) + " where " +
                  group_name(*access.group) +
                  " is asked for; chgrp it, or change the URL");
  return {};
}

Failure shut_out(const std::string& path, const Access& access) {
  if (!access.group) return os_failure("open", path, EACCES);
  return denied(path + " is for group " + group_name(*access.group) + ", and user " +
                user_name(::geteuid()) +
                " is not in it, or was not when this process started: join it, and "
                "start the process anew");
}

Failure not_made_yet(const std::string& path) {
  return denied(path +
                " is not there yet, and only root may make it; as root, after each "
                "start of the host: holdfast ls --url 'local:?scope=system'");
}

}  // namespace holdfast::local
