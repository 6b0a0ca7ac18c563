// A full disk is an error, never a SIGBUS, and what was there goes on.

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "faults/segment_files.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

// A file system of so many bytes; not there unless the test may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size)
      : mounted_(mount("tmpfs", dir_.path().c_str(), "tmpfs", 0,
                       ("size=" + size).c_str()) == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) umount2(dir_.path().c_str(), MNT_DETACH);
  }
  explicit operator bool() const noexcept { return mounted_; }
  std::string file(const char* name) const { return dir_.file(name); }

 private:
  TempDir dir_;
  bool mounted_;
};

TEST(DiskFull, BeforeTheSegmentIsMade) {
  const SmallDisk disk("64k");
  if (!disk) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
  EXPECT_TRUE(refused(disk.file("segment"), Errc::full));
}

TEST(DiskFull, WhileNamesAreAdded) {
  const SmallDisk disk("2m");
  if (!disk) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
  const std::string url = "local://" + disk.file("segment");
  Victim holder(url);
  ASSERT_EQ(holder.ask("lock kept"), "ok");
  Victim hungry(url);
  const std::string answer = hungry.ask("names 100000 n/");
  EXPECT_TRUE(is_error(answer, Errc::full)) << answer;
  EXPECT_EQ(hungry.ask("names 100 n/"), "ok 100") << "the room was not given back";
  EXPECT_TRUE(is_error(hungry.ask("try kept"), Errc::timed_out));
  EXPECT_EQ(holder.ask("valid"), "ok yes");
  EXPECT_EQ(holder.ask("unlock"), "ok");
  EXPECT_EQ(hungry.ask("try kept"), "ok");
}

}  // namespace
}  // namespace holdfast::test
