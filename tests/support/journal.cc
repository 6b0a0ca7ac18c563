// SPDX-License-Identifier: Apache-2.0

#include "support/journal.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace holdfast::test {
namespace {

constexpr std::uint64_t kHalf = sizeof(std::uint64_t);
constexpr std::uint64_t kRecord = 2 * kHalf;

std::uint64_t size_of(int fd) {
  struct stat facts {};
  if (fstat(fd, &facts) != 0) {
    throw std::system_error(errno, std::generic_category(), "fstat");
  }
  return static_cast<std::uint64_t>(facts.st_size);
}

}  // namespace

Journal::Journal(const std::string& path)
    : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path);
}

Journal::~Journal() { close(fd_); }

void Journal::append(FencingToken token) {
  if (size_of(fd_) % kRecord != 0) write_half(0);
  write_half(size_of(fd_) / kRecord + 1);
  sched_yield();  // The process may well be killed here.
  write_half(token.value);
}

void Journal::write_half(std::uint64_t half) {
  if (write(fd_, &half, kHalf) != static_cast<ssize_t>(kHalf)) {
    throw std::system_error(errno, std::generic_category(), "write");
  }
}

Journal::Audit Journal::audit() const {
  Audit result;
  std::uint64_t highest = 0;
  std::uint64_t record[2];
  const std::uint64_t size = size_of(fd_);
  for (std::uint64_t at = 0; at + kRecord <= size; at += kRecord) {
    if (pread(fd_, record, kRecord, static_cast<off_t>(at)) !=
        static_cast<ssize_t>(kRecord)) {
      result.fault = "cannot be read";
      break;
    }
    ++result.records;
    if (record[0] != result.records) {
      result.fault = "record " + std::to_string(result.records) + " has the number " +
                     std::to_string(record[0]);
      break;
    }
    if (record[1] == 0) {
      ++result.repaired;
    } else if (record[1] <= highest) {
      result.fault = "the token of record " + std::to_string(result.records) +
                     " is not larger than the one before";
      break;
    } else {
      highest = record[1];
    }
  }
  return result;
}

}  // namespace holdfast::test
