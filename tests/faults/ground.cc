#include "faults/ground.h"

#include <stdexcept>
#include <utility>

#include "support/eventually.h"

namespace holdfast::test {

using namespace std::chrono_literals;

Client open_quietly(const std::string& url, std::chrono::milliseconds ttl) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};
  return Client::open(url, std::move(options));
}

Failure first_failure(const std::string& url) {
  ClientOptions options;
  options.log = [](LogLevel, std::string_view) {};
  auto client = Client::try_open(url, std::move(options));
  if (!client) return client.error();
  const auto hold = Mutex(*client, "first").acquire({.wait = Timeout::zero()});
  if (!hold) return hold.error();
  throw std::logic_error("it works");
}

bool is_one_sentence(const std::string& message) {
  return message.size() > 10 && message.size() < 400 &&
         message.find_first_of("\r\n") == std::string::npos;
}

std::future<Entered> wait_for(Mutex& mutex) {
  return std::async(std::launch::async, [&mutex] {
    const auto hold = mutex.acquire({.wait = patience()});
    return hold ? Entered{Clock::now(), hold->token(), {}}
                : Entered{Clock::time_point::max(), {}, hold.error().message()};
  });
}

bool still_waits(const std::future<Entered>& entered) {
  return entered.wait_for(scaled(300ms)) == std::future_status::timeout;
}

testing::AssertionResult told_soon(const Hold& hold) {
  const auto start = Clock::now();
  if (!eventually([&] { return hold.lost().stop_requested(); })) {
    return testing::AssertionFailure() << "nobody said that it is lost";
  }
  if (hold.valid()) return testing::AssertionFailure() << "lost, and yet valid";
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
