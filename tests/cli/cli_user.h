// SPDX-License-Identifier: Apache-2.0

// tests/cli/cli_user.h - runs the program as the server's user ann, who has a password.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/bad_url.h"
#include "cli/program.h"

namespace holdfast::test {

class CliUser : public testing::Test {
 protected:
  // Says where ann has rights. It has to be called first.
  void at(std::string scheme, std::string address, std::string path) {
    scheme_ = std::move(scheme);
    address_ = std::move(address);
    path_ = std::move(path);
    as(std::string("ann:") + kCanary);
  }

  std::string url(const std::string& user, const std::string& rest) const {
    return scheme_ + "://" + user + "@" + address_ + rest;
  }
  void as(const std::string& user) { as(user, path_); }
  void as(const std::string& user, const std::string& rest) {
    holdfast_.set("HOLDFAST_URL=" + url(user, rest));
  }

  // Expects that the output does not contain the password.
  static Outcome checked(Outcome outcome) {
    EXPECT_THAT(outcome.out + outcome.err, testing::Not(testing::HasSubstr(kCanary)));
    return outcome;
  }
  Outcome run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args{"run", "-n"};
    args.insert(args.end(), more.begin(), more.end());
    args.insert(args.end(), {"job", "--", "true"});
    return checked(holdfast_(args));
  }

  // Expects that every verb is refused, with one sentence.
  void expect_refused(int code, const std::string& says) const {
    for (const std::vector<std::string>& args :
         {std::vector<std::string>{"run", "-n", "job", "--", "true"},
          {"show", "job"},
          {"counter", "stock", "add"},
          {"unlock", "job", "--force"}}) {
      const Outcome refused = checked(holdfast_(args));
      EXPECT_EQ(refused.code, code) << args[0] << ": " << refused.err;
      EXPECT_THAT(refused.err, testing::HasSubstr(says));
      EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
    }
  }

  std::string scheme_;
  std::string address_;
  std::string path_;
  Program holdfast_;
};

}  // namespace holdfast::test
