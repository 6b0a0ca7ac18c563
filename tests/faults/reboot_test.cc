// SPDX-License-Identifier: Apache-2.0

// After a restart of the host the segment is there and its processes are not, but no
// kernel has reported their deaths. The test copies a segment that is in use and
// changes its boot id.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "faults/segment_files.h"
#include "faults/segment_map.h"
#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using engine::Deadline;
using engine::Kind;
using engine::Ticket;

constexpr std::streamoff kBootAt =
    16;  // Header::boot, src/engines/local/memory/layout.h

void restart_host(const std::string& segment) {
  std::fstream file(segment, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(kBootAt);
  file.write("another ", 8);
}

class Reboot : public testing::Test {
 protected:
  // Makes a segment in which "job" is held with `token_` and the register "count" is 7.
  void SetUp() override {
    const std::string url = "local://" + dir_.file("before");
    {
      const Client client = Client::open(url).value();
      const auto count = client.session().bind({Kind::counter, "count"}).value();
      ASSERT_TRUE(count->add(7, Ticket::none, Deadline::max()));
    }
    Victim holder(url);
    ASSERT_EQ(holder.ask("lock job"), "ok");
    token_ = std::stoull(holder.ask("token").substr(3));
    std::filesystem::copy_file(dir_.file("before"), after_);
    std::filesystem::permissions(after_, std::filesystem::perms::owner_read |
                                             std::filesystem::perms::owner_write);
  }

  TempDir dir_;
  std::string after_ = dir_.file("after");
  std::uint64_t token_ = 0;
};

TEST_F(Reboot, WithoutOneTheLockIsHeld) {
  Mutex job(Client::open("local://" + after_).value(), "job");
  EXPECT_FALSE(job.try_lock());
}

TEST_F(Reboot, EndsEveryClaim) {
  restart_host(after_);
  Mutex job(Client::open("local://" + after_).value(), "job");
  EXPECT_TRUE(job.try_lock());
}

TEST_F(Reboot, KeepsTokensGrowing) {
  restart_host(after_);
  Mutex job(Client::open("local://" + after_).value(), "job");
  ASSERT_TRUE(job.try_lock());
  EXPECT_GT(job.token().value, token_);
}

TEST_F(Reboot, KeepsRegisters) {
  restart_host(after_);
  const Client client = Client::open("local://" + after_).value();
  const auto count = client.session().bind({Kind::counter, "count"}).value();
  EXPECT_EQ(count->load(Deadline::max())->number, 7);
}

TEST_F(Reboot, VoidsWhatClaimsHaveLeft) {
  {
    const SegmentMap segment(after_);
    auto& record = segment.record("job");
    record.guard.store(77);  // A session was inside when the power failed.
    record.first.store(0x00ffffff);
    record.watches.store(0x7fffffff);
    segment.header().guard.store(78);
  }
  restart_host(after_);
  Mutex job(Client::open("local://" + after_).value(), "job");
  EXPECT_TRUE(job.try_lock());
}

TEST_F(Reboot, RefusesADamagedFile) {
  SegmentMap(after_).record("count").value.store(0x00ffffff);
  restart_host(after_);
  EXPECT_TRUE(refused(after_, Errc::incompatible));
}

}  // namespace
}  // namespace holdfast::test
