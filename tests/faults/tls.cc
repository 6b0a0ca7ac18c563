// SPDX-License-Identifier: Apache-2.0

#include "faults/tls.h"

#include <gtest/gtest.h>

#include <regex>

#include "faults/ground.h"

namespace holdfast::test {

using namespace std::chrono_literals;

std::string Tls::trusting(const std::string& options) const {
  return url("ca=" + files.authority() + "&" + options);
}

void a_good_certificate(const Tls& tls) {
  tls.serve(tls.files.issue({.name = "good"}));
  Mutex one(open_quietly(tls.trusting()), "a");
  Mutex two(open_quietly(tls.trusting()), "a");
  ASSERT_TRUE(one.try_lock());
  EXPECT_FALSE(two.try_lock());
}

void waiters_are_woken(const Tls& tls) {
  tls.serve(tls.files.issue({.name = "good"}));
  Mutex holder(open_quietly(tls.trusting()), "a");
  Mutex waiter(open_quietly(tls.trusting()), "a");
  expect_wake_up(holder, waiter);
}

void an_expired_certificate(const Tls& tls) {
  tls.serve(tls.files.issue({.name = "old", .begins = -48h, .ends = -24h}));
  expect_distrust(tls.trusting());
}

void a_foreign_authority(const Tls& tls) {
  tls.serve(tls.files.issue({.name = "good"}));
  const TlsFiles foreign;
  expect_distrust(tls.url("ca=" + foreign.authority()));
}

void no_authority(const Tls& tls) {
  tls.serve(tls.files.issue({.name = "good"}));
  expect_distrust(tls.url(""));
}

void another_hosts_certificate(const Tls& tls) {
  tls.serve(tls.files.issue({.name = "other", .host = "DNS:other.example"}));
  expect_distrust(tls.trusting());
}

void files_that_are_not_there(const Tls& tls) {
  tls.serve(tls.files.issue({.name = "good"}));
  for (const std::string options : {"ca=/no/such", "cert=/no/such&key=/no/such"}) {
    clear_failure(tls.url(options), "/no/such");
  }
}

bool knows_us(const Tls& tls) {
  const Identity us = tls.files.issue({.name = "us"});
  const std::string url = tls.trusting("cert=" + us.cert + "&key=" + us.key);
  return Mutex(open_quietly(url), "a").try_lock();
}

void expect_distrust(const std::string& url, const std::string& says) {
  const Failure failure = clear_failure(url, "");
  EXPECT_EQ(failure.code, Errc::denied) << failure.message();
  EXPECT_TRUE(std::regex_search(failure.message(), std::regex(says)))
      << failure.message();
}

}  // namespace holdfast::test
