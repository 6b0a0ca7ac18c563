// SPDX-License-Identifier: Apache-2.0

#include "faults/ground.h"

#include <iostream>
#include <stdexcept>
#include <utility>

#include "support/eventually.h"

namespace holdfast::test {

using namespace std::chrono_literals;

Client open_quietly(const std::string& url, std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};
  return Client::open(url, options).value();
}

Failure first_failure(const std::string& url) {
  ClientOptions options;
  options.log = [](LogLevel, std::string_view) {};
  auto client = Client::open(url, options);
  if (!client) return client.error();
  const auto hold = Mutex(*client, "first").acquire({.wait = Timeout::zero()});
  if (!hold) return hold.error();
  throw std::logic_error("it works");
}

Failure clear_failure(const std::string& url, const std::string& what) {
  const auto start = Clock::now();
  Failure failure = first_failure(url);
  EXPECT_LT(Clock::now() - start, patience());
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_NE(failure.message().find(what), std::string::npos) << failure.message();
  return failure;
}

std::mt19937 seeded() {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  return std::mt19937(seed);
}

bool is_one_sentence(const std::string& message) {
  return message.size() > 10 && message.size() < 400 &&
         message.find_first_of("\r\n") == std::string::npos;
}

std::shared_future<Entered> wait_for(Mutex& mutex) {
  return std::async(std::launch::async, [&mutex] {
    const auto hold = mutex.acquire({.wait = patience()});
    return hold ? Entered{Clock::now(), hold->token(), {}}
                : Entered{Clock::time_point::max(), {}, hold.error().message()};
  });
}

Told::Told(const Hold& hold) : on_loss_(hold.lost(), [this] { at_ = Clock::now(); }) {}

void Told::expect_by(Clock::time_point time) const {
  EXPECT_TRUE(eventually([&] { return at_.load() != Clock::time_point::max(); }));
  EXPECT_LE(at_.load(), time + 3 * latency_.worst()) << "told too late";
}

testing::AssertionResult still_waits(const std::shared_future<Entered>& entered) {
  if (entered.wait_for(scaled(300ms)) == std::future_status::timeout) {
    return testing::AssertionSuccess();
  }
  const Entered& in = entered.get();
  if (in.token)
    return testing::AssertionFailure() << "it got in, with token " << in.token.value;
  return testing::AssertionFailure() << "it gave up: " << in.why_not;
}

void expect_wake_up(Mutex& holder, Mutex& waiter,
                    const std::function<void()>& meanwhile) {
  holder.lock();
  EXPECT_FALSE(waiter.try_lock());
  auto entered = wait_for(waiter);
  EXPECT_TRUE(still_waits(entered));
  meanwhile();
  const auto released = Clock::now();
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(1s)) << in.why_not;
}

std::vector<Hold> lock_apart(const Client& client, const Client& other,
                             const std::vector<std::string>& names) {
  std::vector<Hold> holds;
  for (const std::string& each : names) {
    auto hold = Mutex(client, each).acquire({.wait = Timeout::zero()});
    EXPECT_TRUE(hold) << each << ": " << hold.error().message();
    if (hold) holds.push_back(std::move(*hold));
  }
  for (const std::string& each : names) {
    EXPECT_FALSE(Mutex(other, each).try_lock()) << each;
  }
  return holds;
}

testing::AssertionResult told_soon(const Hold& hold) {
  const auto start = Clock::now();
  if (!eventually([&] { return hold.lost().stop_requested(); })) {
    return testing::AssertionFailure() << "the loss was not told";
  }
  if (hold.valid()) return testing::AssertionFailure() << "it is lost and still valid";
  const auto took = Clock::now() - start;
  if (took < scaled(2s)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "told after " << took / 1ms << " ms";
}

Sale::Sale(const std::function<Client()>& open) {
  constexpr int kClients = 3;
  for (int i = 0; i < kClients; ++i) {
    threads_.emplace_back([this, client = open()](const std::stop_token& over) {
      Mutex mutex(client, "a");
      while (!over.stop_requested()) {
        const auto hold = mutex.acquire({.wait = patience(), .stop = over});
        if (!hold) continue;
        EXPECT_EQ(++inside_, 1);
        ++grants_;
        --inside_;
      }
    });
  }
}

bool Sale::goes_on() const {
  const int before = grants_;
  return eventually([&] { return grants_ > before + 20; });
}

}  // namespace holdfast::test
