// SPDX-License-Identifier: Apache-2.0

#include "interop/tally.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace holdfast::test {
namespace {

std::atomic_ref<long> at(long* number) { return std::atomic_ref<long>(*number); }

// It lasts long enough for another thread to come in, if the lock lets it.
void pause() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

}  // namespace

Tally::Tally() : file_(dir_.file("tally")) {
  const int fd = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, sizeof(long)) == 0) {
    memory = mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) {
    throw std::system_error(error, std::generic_category(), file_);
  }
  number_ = static_cast<long*>(memory);
}

Tally::~Tally() { munmap(number_, sizeof(long)); }

long Tally::number() const noexcept { return at(number_); }

bool Tally::add() noexcept {
  const long seen = at(number_);
  pause();
  at(number_) = seen + 1;
  return true;
}

bool Tally::read() noexcept {
  const long seen = at(number_);
  pause();
  return at(number_) == seen;
}

bool Tally::count(long most) noexcept {
  const long now = ++at(number_);
  pause();
  --at(number_);
  return now <= most;
}

}  // namespace holdfast::test
