// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/holder_columns.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "base/identity.h"
#include "engines/mysql/engine.h"
#include "holdfast/holder.h"

namespace holdfast::mysql {
namespace {

// Returns how many bytes the narrowest column of that name has room for.
std::size_t room_in(const std::string& column) {
  const std::regex pattern("\\b" + column + "`?\\s+VARBINARY\\((\\d+)\\)");
  const std::string script(schema());
  std::size_t room = std::string::npos;
  std::sregex_iterator found(script.begin(), script.end(), pattern);
  for (; found != std::sregex_iterator(); ++found) {
    room = std::min<std::size_t>(room, std::stoul((*found)[1].str()));
  }
  return room;
}

std::string bound_text(const Args& args, std::size_t i) {
  const MYSQL_BIND& bind = args.binds()[i];
  return {static_cast<const char*>(bind.buffer), bind.buffer_length};
}

TEST(MysqlHolderColumns, SayWhatThePayloadSays) {
  Holder holder;
  holder.text = "web-07:4121:report";
  holder.thread = "worker 4122";
  holder.function = "restock at stock.cc:42";
  holder.description = "nightly run";
  const HolderColumns columns = HolderColumns::of(write_holder(holder));
  EXPECT_EQ(columns.payload, "web-07:4121:report");
  EXPECT_EQ(columns.thread, "worker 4122");
  EXPECT_EQ(columns.function, "restock at stock.cc:42");
  EXPECT_EQ(columns.description, "nightly run");
}

TEST(MysqlHolderColumns, LeaveAForeignPayloadAsItIs) {
  for (const std::string payload : {"", "anything #thread", "10.0.0.7:6379"}) {
    const HolderColumns columns = HolderColumns::of(payload);
    EXPECT_EQ(columns.payload, payload);
    EXPECT_EQ(columns.thread + columns.function + columns.description, "");
  }
}

// The server would refuse a longer text, and with it the claim.
TEST(MysqlHolderColumns, FitIntoTheColumnsOfTheTables) {
  const std::string much(5000, 'x');
  for (const std::string& payload :
       {much, "a #thread " + much, "a #function " + much, "a #description " + much,
        much + " #thread " + much + " #function " + much + " #description " + much}) {
    const HolderColumns columns = HolderColumns::of(payload);
    EXPECT_LE(columns.payload.size(), room_in("holder"));
    EXPECT_LE(columns.thread.size(), room_in("thread"));
    EXPECT_LE(columns.function.size(), room_in("function"));
    EXPECT_LE(columns.description.size(), room_in("description"));
    EXPECT_TRUE(payload.starts_with(columns.payload));
  }
  EXPECT_EQ(HolderColumns::of(much).payload.size(), room_in("holder"))
      << "no more is cut than must be";
}

TEST(MysqlHolderColumns, NameTheThreadUnlessAnotherIsNamed) {
  HolderColumns columns = HolderColumns::of("a");
  columns.name_this_thread();
  EXPECT_EQ(columns.thread, base::thread_identity());
  columns = HolderColumns::of("a #thread worker 4122");
  columns.name_this_thread();
  EXPECT_EQ(columns.thread, "worker 4122");
}

TEST(MysqlHolderColumns, AreValuesInTheOrderOfTheStatements) {
  const HolderColumns columns{
      .payload = "p", .thread = "t", .function = "f", .description = "d"};
  Args args;
  args << columns;
  ASSERT_EQ(args.size(), 5u);
  EXPECT_EQ(bound_text(args, 0), "p");
  const std::string identity = base::process_identity();
  EXPECT_EQ(bound_text(args, 1), identity.substr(0, identity.find(':')));
  EXPECT_LE(bound_text(args, 1).size(), room_in("host"));
  EXPECT_EQ(bound_text(args, 2), "t");
  EXPECT_EQ(bound_text(args, 3), "f");
  EXPECT_EQ(bound_text(args, 4), "d");
}

}  // namespace
}  // namespace holdfast::mysql
