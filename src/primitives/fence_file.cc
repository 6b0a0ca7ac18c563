// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/common_failures.h"
#include "base/descriptor.h"
#include "base/fork_epoch.h"
#include "primitives/fence_line.h"
#include "primitives/token_store.h"

namespace holdfast::inline v0 {
namespace {

constexpr auto kLine = primitives::kFenceLineBytes;

Failure failed(const std::string& what, const std::string& path) {
  const int why = errno;
  Errc code = Errc::internal;
  if (why == EACCES || why == EPERM || why == EROFS) code = Errc::denied;
  if (why == ENOSPC || why == EDQUOT) code = Errc::full;
  if (why == ENOENT || why == EISDIR || why == ENOTDIR) code = Errc::bad_argument;
  return {code, "cannot " + what + " " + path + ": " + std::strerror(why) +
                    "; check the path, its rights and its disk"};
}

template <class Call>
auto retried(Call call) {
  decltype(call()) outcome;
  do {
    outcome = call();
  } while (outcome < 0 && errno == EINTR);
  return outcome;
}

}  // namespace

// The file has two lines, written in turn. A write that is cut short damages one of
// them; the other one still has the last token that was confirmed to a caller.
class Fence::TokenStore::InFile final : public TokenStore {
 public:
  InFile(int fd, std::string path) : path_(std::move(path)), own_(new Own(fd)) {}
  ~InFile() override { delete own_.load(); }

  std::string called() const override { return "the fence " + base::in_quotes(path_); }

  Result<std::shared_ptr<void>> lock() override {
    Own* const own = own_or_reopened();
    if (own == nullptr) return failed("open again after fork()", path_);
    auto turn = std::make_shared<Turn>(*own);
    if (retried([&] { return flock(own->fd, LOCK_EX); }) != 0) {
      return failed("lock", path_);
    }
    return std::shared_ptr<void>(std::move(turn));
  }

  Result<FencingToken> load() override {
    char text[2 * kLine];
    const ssize_t size = retried([&] { return pread(fd(), text, sizeof text, 0); });
    if (size < 0) return failed("read", path_);
    if (size == 0) return begin_file();

    const std::string_view all(text, static_cast<std::size_t>(size));
    const auto first = primitives::read_fence_line(all.substr(0, kLine));
    const auto second =
        primitives::read_fence_line(all.substr(std::min(kLine, all.size())));
    if (!first && !second) {
      return Failure(Errc::incompatible,
                     path_ +
                         " holds no tokens of a fence, and was not changed: if it is "
                         "some other file, name a different path; if it was a fence "
                         "and is damaged, a copy or a new file admits older tokens, so "
                         "first make sure that no earlier holder still runs");
    }
    const FencingToken a = first.value_or(FencingToken{});
    const FencingToken b = second.value_or(FencingToken{});
    older_ = first && (!second || a > b) ? 1 : 0;
    return std::max(a, b);
  }

  Result<void> store(FencingToken token) override {
    return write(primitives::write_fence_line(token), older_ * kLine);
  }

 private:
  // The part that belongs to one process. A child of fork() shares the lock on the file
  // with its parent and has a copy of a mutex that may stay locked for ever, so it
  // makes both anew.
  struct Own {
    explicit Own(int file) : fd(file) {}
    ~Own() {
      if (fd >= 0) close(fd);
    }
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    bool inherited() const noexcept { return base::fork_epoch() != epoch; }

    std::atomic<int> fd;
    const std::uint64_t epoch = (base::watch_forks(), base::fork_epoch());
    std::mutex mutex;
    std::unique_ptr<Own> before;  // the one of the parent process
  };

  struct Turn {
    explicit Turn(Own& own) : lock(own.mutex), of(own) {}
    ~Turn() {
      if (!of.inherited()) flock(of.fd, LOCK_UN);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    std::unique_lock<std::mutex> lock;
    Own& of;
  };

  // Returns null and sets errno if the file cannot be opened again. The inherited part
  // is kept, because a turn that was under way at the fork() still looks at it. Its
  // descriptor is closed, because otherwise the lock of a parent that dies in its turn
  // would stay with this process.
  Own* own_or_reopened() {
    Own* own = own_.load();
    if (!own->inherited()) return own;
    const int fd = base::open_again(own->fd, path_);
    auto fresh = fd < 0 ? nullptr : std::make_unique<Own>(fd);
    if (fresh != nullptr && own_.compare_exchange_strong(own, fresh.get())) {
      close(own->fd.exchange(-1));
      fresh->before.reset(own);
      return fresh.release();
    }
    own = own_.load();  // another thread may have done it first
    return own->inherited() ? nullptr : own;
  }

  int fd() const noexcept { return own_.load()->fd; }

  Result<FencingToken> begin_file() {
    const std::string line = primitives::write_fence_line({});
    if (auto done = write(line + line, 0); !done) return std::move(done).error();
    older_ = 0;
    return FencingToken{};
  }

  Result<void> write(const std::string& text, std::size_t at) {
    const ssize_t size = retried(
        [&] { return pwrite(fd(), text.data(), text.size(), static_cast<off_t>(at)); });
    if (size >= 0 && static_cast<std::size_t>(size) < text.size()) errno = ENOSPC;
    if (size != static_cast<ssize_t>(text.size())) return failed("write", path_);
    if (fdatasync(fd()) != 0) return failed("sync", path_);
    return {};
  }

  const std::string path_;
  std::atomic<Own*> own_;
  std::size_t older_ = 0;  // the line that may be overwritten
};

Result<std::unique_ptr<Fence::TokenStore>> Fence::TokenStore::in_file(
    const std::string& path) {
  const int fd = base::above_stdio(retried([&] {
    return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
  }));
  if (fd < 0) return failed("open", path);
  auto store = std::make_unique<InFile>(fd, path);
  struct stat facts {};
  if (fstat(fd, &facts) != 0) return failed("look at", path);
  if (!S_ISREG(facts.st_mode)) {
    return Failure(Errc::incompatible,
                   path + " is not a regular file: name a different path");
  }
  {
    const auto turn = store->lock();
    if (!turn) return turn.error();
    if (auto token = store->load(); !token) return std::move(token).error();
  }
  return std::unique_ptr<TokenStore>(std::move(store));
}

}  // namespace holdfast::inline v0
