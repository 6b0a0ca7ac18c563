// SPDX-License-Identifier: Apache-2.0

// bench/arena.h - one T in a file that several processes map.

#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast::bench {

template <class T>
class Arena {
 public:
  // The first process runs `init` on zeroed memory; the others wait for that.
  template <class Init>
  Arena(const std::string& path, Init init) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) fail(path);
    flock(fd, LOCK_EX);
    struct stat st = {};
    fstat(fd, &st);
    const bool first = st.st_size == 0;
    if (!first && static_cast<std::size_t>(st.st_size) != sizeof(T)) {
      throw std::runtime_error(
          path +
          " was made by a holdfast_bench with another layout: build both from "
          "the same bench/");
    }
    if (first && ftruncate(fd, sizeof(T)) != 0) fail(path);
    void* at = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) fail(path);
    memory_ = static_cast<T*>(at);
    if (first) init(*memory_);
    flock(fd, LOCK_UN);  // The mapping would keep the lock.
    close(fd);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { munmap(memory_, sizeof(T)); }

  T* get() { return memory_; }
  T* operator->() { return memory_; }

 private:
  [[noreturn]] static void fail(const std::string& path) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  T* memory_ = nullptr;
};

}  // namespace holdfast::bench
