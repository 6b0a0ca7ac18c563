// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/segment_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/descriptor.h"
#include "base/ids.h"
#include "engines/local/errors.h"
#include "engines/local/memory/folder.h"
#include "engines/local/memory/layout.h"

namespace holdfast::local {
namespace {

constexpr std::size_t kFirstBytes = kBlocksAt + (std::size_t{64} << 10);

// An Aside is a file that has no name until it is linked or, where the file system
// cannot make such a file, has another name.
struct Aside {
  explicit Aside(const Folder& in) : folder(in) {
    constexpr int kReadWrite = O_RDWR | O_CLOEXEC;
    fd = base::above_stdio(
        ::openat(in.fd(), in.itself().c_str(), O_TMPFILE | kReadWrite, 0600));
    if (fd >= 0) {
      link_from = "/proc/self/fd/" + std::to_string(fd);
    } else if (errno == EOPNOTSUPP || errno == EISDIR) {
      name = in.file() + "." + base::to_string(base::random_uuid());
      fd = base::above_stdio(::openat(
          in.fd(), name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | kReadWrite, 0600));
    }
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    if (fd >= 0 && !name.empty()) ::unlinkat(folder.fd(), name.c_str(), 0);
    if (fd >= 0) ::close(fd);
  }

  // Returns 0, or -1 with errno.
  int link() const {
    return name.empty() ? ::linkat(AT_FDCWD, link_from.c_str(), folder.fd(),
                                   folder.file().c_str(), AT_SYMLINK_FOLLOW)
                        : ::linkat(folder.fd(), name.c_str(), folder.fd(),
                                   folder.file().c_str(), 0);
  }

  const Folder& folder;
  int fd = -1;
  std::string name;
  std::string link_from;
};

// The file gets its mode and group before it gets its name, whatever the umask is.
Result<void> give_access(int fd, const std::string& path, const Access& access) {
  if (access.group && ::fchown(fd, uid_t(-1), *access.group) != 0) {
    if (errno == EPERM) return shut_out(path, access);
    return os_failure("chgrp", path, errno);
  }
  if (::fchmod(fd, access.mode) != 0) return os_failure("chmod", path, errno);
  return {};
}

Result<void> write_header(int fd, const std::string& path, const BootId& boot) {
  if (const int rc = reserve(fd, 0, kFirstBytes); rc != 0)
    return os_failure("reserve room for", path, rc);
  Header header{};
  header.magic = kMagic;
  header.version = kVersion;
  header.units.store(kFirstBytes / kUnitBytes);
  header.used.store(kFirstBlock);
  header.boot = boot;
  if (::pwrite(fd, static_cast<const void*>(&header), sizeof header, 0) !=
      static_cast<ssize_t>(sizeof header))
    return os_failure("write", path, errno);
  return {};
}

Result<void> make_file(const Folder& folder, const Options& options) {
  const std::string& path = options.path;
  if (options.access.of_root && ::geteuid() != 0) return not_made_yet(path);
  const auto boot = boot_id();
  if (!boot) return boot.error();
  const Aside aside(folder);
  if (aside.fd < 0) return os_failure("create", path, errno);
  if (auto done = write_header(aside.fd, path, *boot); !done) return done;
  if (auto done = give_access(aside.fd, path, options.access); !done) return done;
  if (aside.link() != 0 && errno != EEXIST) return os_failure("create", path, errno);
  return {};
}

// Explains why this process may not open the file.
Failure why_denied(const Folder& folder, const Options& options) {
  struct stat st {};
  if (::fstatat(folder.fd(), folder.file().c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0)
    return os_failure("open", options.path, EACCES);
  if (auto good = check_access(options.path, st, options.access); !good)
    return good.error();
  return shut_out(options.path, options.access);
}

Result<int> open_or_make(const Folder& folder, const Options& options) {
  const std::string& path = options.path;
  for (;;) {
    const int fd =
        base::above_stdio(::openat(folder.fd(), folder.file().c_str(),
                                   O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (fd >= 0) return fd;
    if (errno == ELOOP) return refuse(path, "is a symbolic link");
    if (errno == EISDIR) return refuse(path, "is a directory");
    if (errno == EACCES) return why_denied(folder, options);
    if (errno != ENOENT) return os_failure("open", path, errno);
    if (auto made = make_file(folder, options); !made) return made.error();
  }
}

Result<void> check(int fd, const Options& options) {
  const std::string& path = options.path;
  struct stat st {};
  if (::fstat(fd, &st) != 0) return os_failure("examine", path, errno);
  if (!S_ISREG(st.st_mode)) return refuse(path, "is not a regular file");
  if (auto good = check_access(path, st, options.access); !good) return good;
  const auto bytes = static_cast<std::size_t>(st.st_size);
  Header header{};
  const auto got = ::pread(fd, static_cast<void*>(&header), sizeof header, 0);
  if (got < static_cast<ssize_t>(sizeof header.magic) || header.magic != kMagic)
    return refuse(path, "is not a Holdfast segment");
  if (header.version != kVersion)
    return refuse(path, "has layout version " + std::to_string(header.version) +
                            ", this library knows " + std::to_string(kVersion) +
                            " (delete it once no program uses it)");
  const std::size_t units = header.units.load();
  if (bytes < kFirstBytes || got < static_cast<ssize_t>(sizeof header) ||
      units * kUnitBytes > bytes || header.used.load() > units ||
      header.used.load() < kFirstBlock || header.slots.load() >= kSlots)
    return refuse(path, "is truncated or damaged");
  return {};
}

}  // namespace

Result<int> open_segment_file(const Options& options) {
  const auto folder = Folder::open(options.path, options.access);
  if (!folder) return folder.error();
  auto file = open_or_make(*folder, options);
  if (!file) return file;
  if (auto good = check(*file, options); !good) {
    ::close(*file);
    return good.error();
  }
  return file;
}

int reserve(int fd, std::size_t from, std::size_t to) noexcept {
  int rc = 0;
  do {
    rc = ::posix_fallocate(fd, static_cast<off_t>(from), static_cast<off_t>(to - from));
  } while (rc == EINTR);
  return rc;
}

Result<BootId> boot_id() {
  constexpr ssize_t kLength = 36;
  BootId id{};
  errno = 0;
  const int fd = ::open(kBootIdFile, O_RDONLY | O_CLOEXEC);
  const ssize_t got = fd < 0 ? -1 : ::read(fd, id.data(), kLength);
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (got == kLength) return id;
  return Failure(Errc::unavailable,
                 std::string("cannot read ") + kBootIdFile +
                     (error != 0 ? std::string(": ") + std::strerror(error) : "") +
                     "; the local engine needs it to know a restart of the host");
}

}  // namespace holdfast::local
