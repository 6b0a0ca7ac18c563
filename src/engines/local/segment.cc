#include "engines/local/segment.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/descriptor.h"

namespace holdfast::local {
namespace {

constexpr std::size_t kFirstBytes = kBlocksAt + (std::size_t{64} << 10);

Failure os_failure(const std::string& what, const std::string& path, int error) {
  Errc code = Errc::unavailable;
  if (error == EACCES || error == EPERM || error == EROFS) code = Errc::denied;
  if (error == ENOSPC || error == EDQUOT || error == ENOMEM) code = Errc::full;
  return {code, "cannot " + what + " " + path + ": " + std::strerror(error)};
}

Failure refuse(const std::string& path, const std::string& why) {
  return {Errc::incompatible, path + " " + why + "; name another path in the URL"};
}

// Reserves disk blocks, so that a full disk is an error here and not a SIGBUS later.
int reserve(int fd, std::size_t from, std::size_t to) {
  int rc = 0;
  do {
    rc = ::posix_fallocate(fd, static_cast<off_t>(from), static_cast<off_t>(to - from));
  } while (rc == EINTR);
  return rc;
}

// A file that has no name until it is linked; where the file system cannot make one, a
// file with another name.
struct Aside {
  explicit Aside(const std::string& path) {
    const auto slash = path.rfind('/');
    const std::string folder = slash == 0 ? "/" : path.substr(0, slash);
    fd =
        base::above_stdio(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd >= 0) {
      link_from = "/proc/self/fd/" + std::to_string(fd);
    } else if (errno == EOPNOTSUPP || errno == EISDIR) {
      name = path + ".XXXXXX";
      fd = base::above_stdio(::mkostemp(name.data(), O_CLOEXEC));
      link_from = name;
    }
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    if (fd >= 0 && !name.empty()) ::unlink(name.c_str());
    if (fd >= 0) ::close(fd);
  }

  int fd = -1;
  std::string name;
  std::string link_from;
};

Result<void> make_segment(const std::string& path) {
  const auto boot = boot_id();
  if (!boot) return boot.error();
  const Aside aside(path);
  if (aside.fd < 0) return os_failure("create", path, errno);
  if (const int rc = reserve(aside.fd, 0, kFirstBytes); rc != 0)
    return os_failure("reserve room for", path, rc);
  Header header{};
  header.magic = kMagic;
  header.version = kVersion;
  header.units.store(kFirstBytes / kUnitBytes);
  header.used.store(kFirstBlock);
  header.boot = *boot;
  if (::pwrite(aside.fd, static_cast<const void*>(&header), sizeof header, 0) !=
      static_cast<ssize_t>(sizeof header))
    return os_failure("write", path, errno);
  if (::linkat(AT_FDCWD, aside.link_from.c_str(), AT_FDCWD, path.c_str(),
               AT_SYMLINK_FOLLOW) != 0 &&
      errno != EEXIST)
    return os_failure("create", path, errno);
  return {};
}

Result<int> open_file(const std::string& path) {
  for (;;) {
    const int fd = base::above_stdio(
        ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (fd >= 0) return fd;
    if (errno == ELOOP) return refuse(path, "is a symbolic link");
    if (errno == EISDIR) return refuse(path, "is a directory");
    if (errno != ENOENT) return os_failure("open", path, errno);
    if (auto made = make_segment(path); !made) return made.error();
  }
}

Result<void> check(const std::string& path, int fd) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return os_failure("examine", path, errno);
  if (!S_ISREG(st.st_mode)) return refuse(path, "is not a regular file");
  if (st.st_uid != ::geteuid())
    return Failure(Errc::denied, path + " belongs to another user");
  if ((st.st_mode & 077) != 0)
    return Failure(Errc::denied, path + " is open to other users; chmod it to 0600");
  const auto bytes = static_cast<std::size_t>(st.st_size);
  Header header{};
  const auto got = ::pread(fd, static_cast<void*>(&header), sizeof header, 0);
  if (got < static_cast<ssize_t>(sizeof header.magic) || header.magic != kMagic)
    return refuse(path, "is not a Holdfast segment");
  if (header.version != kVersion)
    return refuse(path, "has layout version " + std::to_string(header.version) +
                            ", this library knows " + std::to_string(kVersion));
  const std::size_t units = header.units.load();
  if (bytes < kFirstBytes || got < static_cast<ssize_t>(sizeof header) ||
      units * kUnitBytes > bytes || header.used.load() > units ||
      header.used.load() < kFirstBlock || header.slots.load() >= kSlots)
    return refuse(path, "is truncated or damaged");
  return {};
}

}  // namespace

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

Result<std::shared_ptr<Segment>> Segment::open(const std::string& path) {
  const auto file = open_file(path);
  if (!file) return file.error();
  if (auto good = check(path, *file); !good) {
    ::close(*file);
    return good.error();
  }
  void* base = ::mmap(nullptr, kMaxBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, *file, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    ::close(*file);
    return os_failure("map", path, error);
  }
  return std::shared_ptr<Segment>(new Segment(path, *file, static_cast<char*>(base)));
}

Segment::Segment(std::string path, int fd, char* base) noexcept
    : path_(std::move(path)), fd_(fd), base_(base) {}

Segment::~Segment() {
  ::munmap(base_, kMaxBytes);
  ::close(fd_);
}

std::size_t Segment::look_at_size() const noexcept {
  struct stat st {};
  if (::fstat(fd_, &st) != 0) return 0;
  const auto bytes = std::min(static_cast<std::size_t>(st.st_size), kMaxBytes);
  limit_.store(bytes / kUnitBytes, std::memory_order_relaxed);
  return bytes / kUnitBytes;
}

char* Segment::nothing_at(Unit) const noexcept {
  damaged_.store(true, std::memory_order_relaxed);
  nothing_.fill(0);  // of what was stored here before
  return nothing_.data();
}

Failure Segment::why_damaged() const { return refuse(path_, "is damaged"); }

bool Segment::is_deleted() const noexcept {
  struct stat st {};
  return ::fstat(fd_, &st) == 0 && st.st_nlink == 0;
}

Result<void> Segment::grow() {
  const std::size_t now = std::size_t{header().units.load()} * kUnitBytes;
  const std::size_t step = std::clamp<std::size_t>(now / 8, 64 << 10, 16 << 20);
  const std::size_t then = std::min(now + step / 4096 * 4096, kMaxBytes);
  if (then == now)
    return Failure(Errc::full, path_ + " has reached its largest size, 1 GiB");
  if (const int rc = reserve(fd_, now, then); rc != 0)
    return os_failure("grow", path_, rc);
  header().units.store(static_cast<Unit>(then / kUnitBytes));
  return {};
}

}  // namespace holdfast::local
