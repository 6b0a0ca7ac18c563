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

TEST(LocalErrors, NameTheFileAndSayWhatToDo) {
  const struct {
    int error;
    Errc code;
    std::string text;
  } rows[] = {
      {EACCES, Errc::denied,
       "cannot open /run/a: Permission denied; check its rights, or name another path "
       "in the URL"},
      {ENOSPC, Errc::full,
       "cannot open /run/a: No space left on device; make room there, or name another "
       "path in the URL"},
      {ENOMEM, Errc::full,
       "cannot open /run/a: Cannot allocate memory; free some memory and try again"},
      {EMFILE, Errc::unavailable,
       "cannot open /run/a: Too many open files; raise the limit of open files, or "
       "close some of them"},
      {ENFILE, Errc::unavailable,
       "cannot open /run/a: Too many open files in system; raise the limit of open "
       "files, or close some of them"},
      {ENOLCK, Errc::unavailable,
       "cannot open /run/a: No locks available; name another path in the URL"},
  };
  for (const auto& each : rows) {
    const Failure why = os_failure("open", "/run/a", each.error);
    EXPECT_EQ(why.code, each.code) << each.text;
    EXPECT_EQ(why.context, each.text);
  }
}

}  // namespace
}  // namespace holdfast::local
