// SPDX-License-Identifier: Apache-2.0

// What operators see of an engine: its servers and what is to be known of them, but no
// password.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

using engine::Kind;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

constexpr const char* kWrongSecret = "wr0ng";

// What a client has logged, also while it is used here.
class Lines {
 public:
  LogSink sink() {
    return [this](LogLevel level, std::string_view line) {
      const std::lock_guard lock(mutex_);
      all_.emplace_back(line);
      if (level == LogLevel::warning) warnings_.emplace_back(line);
    };
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  std::vector<std::string> warnings() const {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
  std::vector<std::string> warnings_;
};

// Returns everything that the session says of its servers.
std::vector<std::string> said_by(const engine::Session& session) {
  std::vector<std::string> all = session.warnings();
  for (const engine::ServerDescription& each : session.servers()) {
    all.push_back(each.server);
    for (const auto& [property, value] : each.properties) {
      all.push_back(property);
      all.push_back(value);
    }
  }
  return all;
}

class Secrets : public Conformance {
 protected:
  static void expect_hidden(const std::vector<std::string>& texts) {
    EXPECT_THAT(texts, Each(Not(HasSubstr(std::string(kSecret)))));
    EXPECT_THAT(texts, Each(Not(HasSubstr(kWrongSecret))));
  }

  // Expects that the failure says something, and not the password.
  static void expect_hidden(const Failure& why) {
    EXPECT_NE(why.context, "");
    expect_hidden({why.message(), why.context});
  }

  Result<Client> open_with(std::string_view password, Lines& lines) {
    return Client::open(engine().url_with(password), {.log = lines.sink()});
  }
};
HOLDFAST_CONFORMANCE(Secrets);

TEST_P(Secrets, AreNotInWhatIsSaidOfTheServers) {
  Lines lines;
  ClientOptions options;
  options.log = lines.sink();
  (void)engine().arrange_warning(options);
  const Client client = Client::open(engine().url_with(kSecret), options).value();
  const auto hold = Mutex(client, name("a")).acquire().value();
  const std::vector<std::string> said = said_by(client.session());
  EXPECT_FALSE(said.empty()) << "this engine knows its servers";
  expect_hidden(said);
  EXPECT_FALSE(lines.all().empty()) << "a client logs what it has found";
  expect_hidden(lines.all());
  for (const engine::Entry& each : survey(client, {Kind::mutex, name("a")})) {
    expect_hidden({each.owner, each.payload});
  }
}

// Where the server takes any password, as ZooKeeper does, it is another user's.
TEST_P(Secrets, AreNotInARefusal) {
  Lines lines;
  const Client ann = open_with(kSecret, lines).value();
  const auto hold = Mutex(ann, name("a")).acquire().value();
  const auto other = open_with(kWrongSecret, lines);
  if (other) {
    const auto refused = Mutex(*other, name("a")).acquire(kNow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::denied) << refused.error().message();
    expect_hidden(refused.error());
  } else {
    EXPECT_EQ(other.error().code, Errc::denied) << other.error().message();
    expect_hidden(other.error());
  }
  expect_hidden(lines.all());
}

TEST_P(Secrets, AreNotInTheFailuresOfAServerThatIsGone) {
  Lines lines;
  const Client client = open_with(kSecret, lines).value();
  Mutex mutex(client, name("a"));
  ASSERT_TRUE(mutex.acquire().value().release());
  engine().faults()->unreachable(true);
  const auto unanswered = mutex.acquire({.wait = scaled(300ms)});
  ASSERT_FALSE(unanswered);
  expect_hidden(unanswered.error());
  const auto never_opened = open_with(kSecret, lines);
  ASSERT_FALSE(never_opened);
  expect_hidden(never_opened.error());
  engine().faults()->unreachable(false);
}

TEST_P(Secrets, AreNotInWhatIsWrongWithTheUrl) {
  const std::string url = engine().url_with(kSecret);
  const char* const before = url.find('?') == std::string::npos ? "?" : "&";
  for (const std::string wrong : {"no_such_option=1", "retry_times=many"}) {
    const auto refused = Client::open(url + before + wrong);
    ASSERT_FALSE(refused) << wrong;
    expect_hidden(refused.error());
  }
  const auto refused = Client::open("no-such-" + url);
  ASSERT_FALSE(refused);
  expect_hidden(refused.error());
}

class Warnings : public Conformance {};
HOLDFAST_CONFORMANCE(Warnings);

// They are in the log of a client that is opened, too.
TEST_P(Warnings, TellWhatAnOperatorShouldKnow) {
  Lines before;
  ClientOptions options;
  options.log = before.sink();
  (void)engine().open(options);
  const std::string words = engine().arrange_warning(options);
  EXPECT_THAT(before.warnings(), Each(Not(HasSubstr(words))));

  Lines lines;
  options.log = lines.sink();
  const Client client = engine().open(options);
  const auto has_words = [&](const std::string& text) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(client.session().warnings(), has_words), 1);
  EXPECT_EQ(std::ranges::count_if(lines.warnings(), has_words), 1);
}

class ServerReports : public Conformance {};
HOLDFAST_CONFORMANCE(ServerReports);

TEST_P(ServerReports, AreWarningsOfOneSentenceEach) {
  Lines lines;
  ClientOptions options;
  options.log = lines.sink();
  (void)engine().arrange_warning(options);
  const Client client = engine().open(options);
  const std::vector<std::string> warnings = client.session().warnings();
  std::set<std::string> seen;
  for (const std::string& each : warnings) {
    EXPECT_NE(each, "");
    EXPECT_EQ(each.find('\n'), std::string::npos) << each;
    EXPECT_FALSE(each.ends_with('.')) << each;
    EXPECT_TRUE(seen.insert(each).second) << each;
  }
  EXPECT_EQ(lines.warnings().size(), warnings.size());
}

// The log names the engine by its scheme. That of a URL may have more behind it, such
// as "redis+cluster".
TEST_P(ServerReports, BeginWithTheSchemeOfTheUrl) {
  const std::string url = engine().url();
  Lines lines;
  ClientOptions options;
  options.log = lines.sink();
  const Client client = engine().open(options);
  for (const std::string& each : lines.all()) {
    const std::string scheme = each.substr(0, each.find(": "));
    EXPECT_LT(scheme.size(), each.size()) << each;
    EXPECT_TRUE(url.empty() || url.starts_with(scheme)) << each;
  }
  const auto servers = client.session().servers();
  const bool described = std::ranges::any_of(
      servers, [](const auto& each) { return !each.properties.empty(); });
  EXPECT_TRUE(!described || !lines.all().empty());
}

}  // namespace
}  // namespace holdfast::test
