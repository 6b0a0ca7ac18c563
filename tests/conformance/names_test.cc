// SPDX-License-Identifier: Apache-2.0

// A name is opaque: these cases say what may be a name, and that no two names are one.

#include "holdfast/names.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

using namespace std::string_literals;

class Names : public Conformance {};
HOLDFAST_CONFORMANCE(Names);

const std::vector<std::string>& good_names() {
  static const std::vector<std::string> all{
      "x",
      "X",
      std::string(512, 'n'),
      "Größe/鍵/ключ",
      "a",
      "a/",
      "a/b",
      "a/b/c",
      "/a",
      "{tag}",
      "{tag}:more",
      "two words",
      " a",
      "a ",
      ".",
      "..",
      "%2F",
      "a%2Fb",
      "a*",
      "a?b",
      "a\\b",
      "a:b",
      "'; drop table a",
      "🔒",
      "0",
  };
  return all;
}

TEST_P(Names, AreToldApart) {
  const Client client = open();
  const Client other = open();
  std::deque<Mutex> held;
  for (const std::string& each : good_names()) {
    ASSERT_TRUE(held.emplace_back(client, each).try_lock()) << each;
  }
  for (const std::string& each : good_names()) {
    EXPECT_FALSE(Mutex(other, each).try_lock()) << each;
  }
}

TEST_P(Names, AreListedAsTheyWereGiven) {
  const Client client = open();
  std::deque<Mutex> held;
  for (const std::string& each : good_names()) held.emplace_back(client, each).lock();
  std::set<std::string> listed;
  std::string from;
  do {
    const auto page = client.session().list("", from, soon()).value();
    for (const auto& address : page.addresses) listed.insert(address.name);
    from = page.next;
  } while (!from.empty());
  for (const std::string& each : good_names())
    EXPECT_TRUE(listed.contains(each)) << each;
}

TEST_P(Names, ThatAreNotAreRefused) {
  const Client client = open();
  const std::string bad[] = {
      ""s,          std::string(513, 'n'),
      "a\nb"s,      "a\tb"s,
      "\x7f"s,      "a\0b"s,
      "\xff"s,      "\xc3"s,
      "\xc0\x80"s,  "\xed\xa0\x80"s,
      "a\xc2\x85"s,
  };
  for (const std::string& each : bad) {
    Mutex mutex(client, each);
    const auto refused = mutex.acquire({.wait = Timeout::zero()});
    ASSERT_FALSE(refused) << testing::PrintToString(each);
    EXPECT_EQ(refused.error().code, Errc::bad_name) << testing::PrintToString(each);
    EXPECT_FALSE(refused.error().context.empty());
    EXPECT_THROW(mutex.lock(), Error);
    EXPECT_THROW((void)mutex.try_lock(), Error);
  }
}

}  // namespace
}  // namespace holdfast::test
