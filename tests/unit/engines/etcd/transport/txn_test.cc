// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/txn.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::etcd {
namespace {

using wire::Compare;
using wire::RangeRequest;

struct RangeRow {
  const char* what;
  RangeRequest range;
  std::int64_t limit;
  RangeRequest::SortTarget target;
  RangeRequest::SortOrder order;
  bool keys_only;
};

TEST(EtcdTxn, RangesAskForTheKeysThatTheirNamesSay) {
  const RangeRow rows[] = {
      {"all", all_below("a/"), 0, RangeRequest::KEY, RangeRequest::NONE, false},
      {"newest", newest_below("a/", 2), 2, RangeRequest::CREATE, RangeRequest::DESCEND,
       true},
      {"in order", in_order_below("a/"), 0, RangeRequest::CREATE, RangeRequest::ASCEND,
       false},
  };
  for (const RangeRow& row : rows) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(row.range.key(), "a/");
    EXPECT_EQ(row.range.range_end(), "a0");
    EXPECT_EQ(row.range.limit(), row.limit);
    EXPECT_EQ(row.range.sort_target(), row.target);
    EXPECT_EQ(row.range.sort_order(), row.order);
    EXPECT_EQ(row.range.keys_only(), row.keys_only);
    EXPECT_EQ(row.range.max_create_revision(), 0);
  }
}

struct ConditionRow {
  void (Txn::*add)(const std::string& key, std::int64_t revision);
  Compare::Target target;
};

TEST(EtcdTxn, ConditionsAreEqualities) {
  for (const std::int64_t revision : {std::int64_t{0}, std::int64_t{7}}) {
    for (const ConditionRow& row : {ConditionRow{&Txn::if_created, Compare::CREATE},
                                    {&Txn::if_changed, Compare::MOD}}) {
      Txn txn;
      (txn.*row.add)("a", revision);
      ASSERT_EQ(txn.request().compare_size(), 1);
      const Compare& compare = txn.request().compare(0);
      EXPECT_EQ(compare.key(), "a");
      EXPECT_EQ(compare.range_end(), "") << "it is one key";
      EXPECT_EQ(compare.result(), Compare::EQUAL);
      EXPECT_EQ(compare.target(), row.target);
      const bool created = row.target == Compare::CREATE;
      EXPECT_EQ(compare.what_case(),
                created ? Compare::kCreateRevision : Compare::kModRevision)
          << "zero has to be named, too";
      EXPECT_EQ(created ? compare.create_revision() : compare.mod_revision(), revision);
    }
  }
}

TEST(EtcdTxn, NoneBelowIsAConditionOnARange) {
  Txn txn;
  txn.if_none_below("a/");
  ASSERT_EQ(txn.request().compare_size(), 1);
  const Compare& compare = txn.request().compare(0);
  EXPECT_EQ(compare.key(), "a/");
  EXPECT_EQ(compare.range_end(), "a0");
  EXPECT_EQ(compare.result(), Compare::EQUAL);
  EXPECT_EQ(compare.target(), Compare::CREATE);
  EXPECT_EQ(compare.what_case(), Compare::kCreateRevision);
  EXPECT_EQ(compare.create_revision(), 0);
}

TEST(EtcdTxn, KeepsTheOrderOfEachBranch) {
  Txn txn;
  txn.then().put("a", "text", 5);
  txn.otherwise().get("b");
  txn.then().erase("c");
  txn.then().range(newest_below("d/", 1));
  txn.otherwise().put("e", "");
  const wire::TxnRequest& request = txn.request();
  EXPECT_EQ(request.compare_size(), 0);
  ASSERT_EQ(request.success_size(), 3);
  ASSERT_EQ(request.failure_size(), 2);

  EXPECT_EQ(request.success(0).request_put().key(), "a");
  EXPECT_EQ(request.success(0).request_put().value(), "text");
  EXPECT_EQ(request.success(0).request_put().lease(), 5);
  EXPECT_EQ(request.success(1).request_delete_range().key(), "c");
  EXPECT_EQ(request.success(2).request_range().key(), "d/");
  EXPECT_EQ(request.success(2).request_range().limit(), 1);

  EXPECT_EQ(request.failure(0).request_range().key(), "b");
  EXPECT_EQ(request.failure(0).request_range().range_end(), "");
  EXPECT_EQ(request.failure(1).request_put().key(), "e");
  EXPECT_EQ(request.failure(1).request_put().lease(), 0);
}

TEST(EtcdTxn, AnAnswerIsReadByTheIndexOfItsOperation) {
  wire::TxnResponse answer;
  answer.add_responses()->mutable_response_put();
  auto& two = *answer.add_responses()->mutable_response_range();
  two.add_kvs()->set_key("first");
  two.add_kvs()->set_key("second");
  answer.add_responses()->mutable_response_range();

  ASSERT_NE(found(answer, 1), nullptr);
  EXPECT_EQ(found(answer, 1)->key(), "first");
  EXPECT_EQ(ranged(answer, 1).kvs_size(), 2);
  EXPECT_EQ(found(answer, 2), nullptr) << "no such key";
  EXPECT_EQ(found(answer, 0), nullptr) << "it was no question";
  EXPECT_EQ(found(answer, 3), nullptr) << "it was not asked";
  EXPECT_EQ(ranged(answer, 3).kvs_size(), 0);
}

}  // namespace
}  // namespace holdfast::etcd
