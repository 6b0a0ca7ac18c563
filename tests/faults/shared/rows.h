// SPDX-License-Identifier: Apache-2.0

// tests/faults/shared/rows.h - an engine as a row of the cases that all engines share.
//
//   std::vector<Row> rows() {
//     return {{.name = "etcd", .make = [] { return std::make_unique<EtcdGround>(); }}};
//   }
//
// The program of an engine links the cases of this folder and defines `rows`. They are
// then run as Storm.AMutexHasOneHolder/etcd and so on. The members of a row say which
// of them the engine has.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faults/lost_calls.h"
#include "faults/outages.h"
#include "support/scale.h"

namespace holdfast::test {

// A server, and a connection to it that fails. Each case has its own.
class Ground {
 public:
  virtual ~Ground() = default;

  // `on` is the connection, for the cases that need no more than that.
  virtual LostCalls lost_calls() = 0;
  virtual std::string direct_url() const = 0;  // past the proxy

  // Expects that no claim of any name is left on the server.
  virtual void expect_no_claims() {}
};

// How a renewal is lost: `calls` of them, at the first `steps` points after the grant,
// each of which is watched for `ttls` times the ttl.
struct LostRenewals {
  int calls = 1;
  int steps = 1;
  int ttls = 2;
};

struct Row {
  std::string name;
  std::function<std::unique_ptr<Ground>()> make;

  // A server of the case alone, which ends and begins again.
  std::function<std::unique_ptr<DurableGround>()> make_durable;

  // The ttl of processes that are killed.
  std::chrono::milliseconds ttl_of_killed = scaled(std::chrono::seconds(2));

  // It leaves a connection that stands still, and asks over another one.
  bool leaves_connections = false;

  // Each claim has a lease of its own, which a repeated attempt does not renew.
  bool attempts_keep_lease = false;

  // A double barrier is opened by a call of the last party, after so many others.
  std::optional<int> calls_before_opening = {};

  std::optional<LostRenewals> lost_renewals = {};
};

void PrintTo(const Row& row, std::ostream* out);
std::string name_of(const testing::TestParamInfo<Row>& info);

std::vector<Row> rows();  // defined by each program

// Returns the rows for which the member is set.
template <class Value>
std::vector<Row> rows_with(Value Row::*member) {
  std::vector<Row> result;
  for (const Row& each : rows()) {
    if (each.*member) result.push_back(each);
  }
  return result;
}

class OnRow : public testing::TestWithParam<Row> {
 protected:
  const std::unique_ptr<Ground> ground_ = GetParam().make();
  const LostCalls calls_ = ground_->lost_calls();
  const BadLine& bad_line_ = calls_.on;
};

}  // namespace holdfast::test
