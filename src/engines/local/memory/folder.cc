// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/descriptor.h"
#include "engines/local/errors.h"
#include "engines/local/options.h"

namespace holdfast::local {
namespace {

constexpr int kWalk = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string parent(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_link(int folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(status.st_mode);
}

// Checks that only root, this user and the group decide which files are in the folder.
Result<void> check_folder(const std::string& name, int fd, const std::string& path,
                          const Access& access) {
  struct stat folder {};
  if (::fstat(fd, &folder) != 0) return os_failure("examine", name, errno);
  // Without a group, all users are trusted with the file itself.
  if (!access.group) return {};
  const bool of_group = folder.st_gid == *access.group;
  const bool owned = folder.st_uid == 0 || folder.st_uid == ::geteuid() || of_group;
  const bool open_to_group =
      (folder.st_mode & S_IWGRP) != 0 && !of_group && folder.st_gid != 0;
  const bool open_to_all = (folder.st_mode & S_IWOTH) != 0;
  const bool sticky = (folder.st_mode & S_ISVTX) != 0;
  if (owned && (sticky || (!open_to_group && !open_to_all))) return {};
  return Failure(Errc::denied,
                 "users outside group " + group_name(*access.group) +
                     " could replace " + path + ", since " + name + " belongs to " +
                     user_name(folder.st_uid) + " and " + group_name(folder.st_gid) +
                     (owned ? " and others may write to it" : "") +
                     "; give that folder to root and to this group alone");
}

}  // namespace

Folder::Folder(int fd, std::string itself, std::string file) noexcept
    : fd_(fd), itself_(std::move(itself)), file_(std::move(file)) {}

Folder::Folder(Folder&& other) noexcept
    : fd_(std::exchange(other.fd_, AT_FDCWD)),
      itself_(std::move(other.itself_)),
      file_(std::move(other.file_)) {}

Folder::~Folder() {
  if (fd_ != AT_FDCWD) ::close(fd_);
}

// The path to a user's own file may contain symbolic links, because the file that is
// found must belong to this user and be closed to all others.
Result<Folder> Folder::open(const std::string& path, const Access& access) {
  if (access.of_root) make_system_folder();
  if (access.shared()) return walk(path, access);
  return Folder(AT_FDCWD, parent(path), path);
}

Result<Folder> Folder::walk(const std::string& path, const Access& access) {
  Folder folder(base::above_stdio(::open("/", kWalk)), ".", {});
  if (folder.fd_ < 0) return os_failure("open", "/", errno);
  for (std::size_t at = 1;;) {
    const auto slash = path.find('/', at);
    const std::string name = path.substr(at, slash - at);
    if (slash == std::string::npos) {
      folder.file_ = name;
      return folder;
    }
    at = slash + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") return refuse(path, "leads up again by a \"..\"");
    const std::string walked = path.substr(0, slash);
    const int next = base::above_stdio(::openat(folder.fd_, name.c_str(), kWalk));
    const int error = errno;
    if (next < 0 && is_link(folder.fd_, name))
      return refuse(path, "lies behind the symbolic link " + walked +
                              ", which a shared file must not");
    if (error == ENOENT && next < 0 && access.of_root) return not_made_yet(path);
    if (next < 0) return os_failure("open", walked + ", on the way to " + path, error);
    ::close(std::exchange(folder.fd_, next));
    if (auto good = check_folder(walked, next, path, access); !good)
      return good.error();
  }
}

void make_system_folder() noexcept {
  if (::geteuid() != 0 || ::mkdir(kSystemFolder, 0755) != 0) return;
  (void)!::chmod(kSystemFolder, 0755);  // The mode must not depend on the umask.
}

}  // namespace holdfast::local
