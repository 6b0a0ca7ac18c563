// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/errors.h"

#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

namespace holdfast::zookeeper {
namespace {

struct ErrorRow {
  int code;
  Errc errc;
  const char* what_to_do;
};

TEST(ZookeeperErrors, NameThePathAndSayWhatToDo) {
  const ErrorRow rows[] = {
      {ZNOAUTH, Errc::denied, "give the user of the URL that right"},
      {ZAUTHFAILED, Errc::denied, "give the user of the URL that right"},
      {ZTHROTTLEDOP, Errc::unavailable, "try again later"},
      {ZCONNECTIONLOSS, Errc::outcome_unknown, "check that it runs"},
      {ZOPERATIONTIMEOUT, Errc::outcome_unknown, "check that it runs"},
      {ZMARSHALLINGERROR, Errc::incompatible, "see the log of the server"},
  };
  for (const ErrorRow& row : rows) {
    const Failure why = failure_of(row.code, "list /app/a");
    EXPECT_EQ(why.code, row.errc) << row.code;
    EXPECT_NE(why.context.find("list /app/a"), std::string::npos) << why.context;
    EXPECT_NE(why.context.find(row.what_to_do), std::string::npos) << why.context;
  }
}

}  // namespace
}  // namespace holdfast::zookeeper
