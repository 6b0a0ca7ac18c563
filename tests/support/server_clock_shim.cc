// SPDX-License-Identifier: Apache-2.0

// tests/support/server_clock_shim.cc - adds the value of the file in
// $HOLDFAST_SERVER_CLOCK to the time of day of the process that this library is loaded
// into: server_clock.h explains it.

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

const volatile std::int64_t* map_file() {
  const char* const path = getenv("HOLDFAST_SERVER_CLOCK");
  const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* const mapped =
      mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  return mapped == MAP_FAILED ? nullptr : static_cast<const std::int64_t*>(mapped);
}

std::int64_t ahead() {
  static const volatile std::int64_t* const file = map_file();
  return file == nullptr ? 0 : *file;
}

timespec plus(const timespec& time, std::int64_t nanoseconds) {
  const std::int64_t sum = time.tv_sec * kSecond + time.tv_nsec + nanoseconds;
  return {sum / kSecond, sum % kSecond};
}

bool is_time_of_day(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

timespec time_of_day() {
  timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return plus(now, ahead());
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && is_time_of_day(clock)) *now = plus(*now, ahead());
  return static_cast<int>(failed);
}

int gettimeofday(timeval* now, void*) noexcept {
  const timespec time = time_of_day();
  *now = {time.tv_sec, time.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* now) noexcept {
  const time_t seconds = time_of_day().tv_sec;
  if (now != nullptr) *now = seconds;
  return seconds;
}

// The kernel waits by its own clock, so the deadline is converted back.
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  const timespec real = plus(*until, -ahead());
  return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &real);
}

}  // extern "C"
