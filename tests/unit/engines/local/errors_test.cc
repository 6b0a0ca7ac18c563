// SPDX-License-Identifier: Apache-2.0

#include "engines/local/errors.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace holdfast::local {
namespace {

struct SystemErrorRow {
  int error;
  Errc code;
};

constexpr SystemErrorRow kSystemErrors[] = {
    {EACCES, Errc::denied},      {EPERM, Errc::denied},
    {EROFS, Errc::denied},       {ENOSPC, Errc::full},
    {EDQUOT, Errc::full},        {ENOMEM, Errc::full},
    {ENOENT, Errc::unavailable}, {ENOTDIR, Errc::unavailable},
    {EIO, Errc::unavailable},    {EMFILE, Errc::unavailable},
    {EINTR, Errc::unavailable},  {ELOOP, Errc::unavailable},
};

TEST(LocalErrors, OfSystemCallsMeanWhatTheTableSays) {
  for (const SystemErrorRow& row : kSystemErrors) {
    const Failure why = os_failure("open", "/dev/shm/segment", row.error);
    EXPECT_EQ(why.code, row.code) << why.message();
    for (const std::string part : {"open", "/dev/shm/segment"}) {
      EXPECT_NE(why.context.find(part), std::string::npos) << why.context;
    }
    EXPECT_NE(why.context.find(std::strerror(row.error)), std::string::npos)
        << why.context;
  }
}

TEST(LocalErrors, OfAFileThatIsNotASegmentNameIt) {
  const Failure why = refuse("/dev/shm/segment", "is a folder");
  EXPECT_EQ(why.code, Errc::incompatible);
  for (const std::string part : {"/dev/shm/segment", "is a folder"}) {
    EXPECT_NE(why.context.find(part), std::string::npos) << why.context;
  }
}

}  // namespace
}  // namespace holdfast::local
