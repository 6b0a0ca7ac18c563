// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/errors.h"

#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <optional>

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

struct AnswerRow {
  int code;
  std::optional<bool> there;  // nothing means that the answer does not say
  bool repeated;              // a deletion is
};

TEST(ZookeeperErrors, TellANodeThatIsNotThereFromAnAnswerThatDoesNotSay) {
  const AnswerRow rows[] = {
      {ZOK, true, false},
      {ZNONODE, false, false},
      {ZTHROTTLEDOP, std::nullopt, true},
      {ZCONNECTIONLOSS, std::nullopt, true},
      {ZOPERATIONTIMEOUT, std::nullopt, true},
      {ZSESSIONEXPIRED, std::nullopt, false},
      {ZCLOSING, std::nullopt, false},
      {ZNOAUTH, std::nullopt, false},
      {ZMARSHALLINGERROR, std::nullopt, false},
  };
  for (const AnswerRow& row : rows) {
    SCOPED_TRACE(row.code);
    const auto there = is_there(row.code, "list", "/app/a");
    ASSERT_EQ(there.has_value(), row.there.has_value());
    EXPECT_EQ(must_be_repeated(row.code), row.repeated);
    if (there.has_value()) {
      EXPECT_EQ(*there, *row.there);
    } else {
      EXPECT_EQ(there.error().context, failure_of(row.code, "list /app/a").context);
    }
  }
}

}  // namespace
}  // namespace holdfast::zookeeper
