// SPDX-License-Identifier: Apache-2.0

#include "live/try_out.h"

#include <algorithm>
#include <array>
#include <thread>

#include "errors.h"
#include "live/http_client.h"
#include "report/text.h"

namespace holdfast::shop {
namespace {

constexpr std::array<std::string_view, 6> kWhatToTry = {
    "lock", "read", "write", "semaphore", "latch", "countdown"};
constexpr int kAtOnce = 40;
constexpr std::size_t kRemembered = 60;
constexpr std::chrono::minutes kLongest{5};
constexpr std::chrono::milliseconds kForState{1000};

std::string state_at(std::uint16_t port) {
  try {
    const HttpReply reply = HttpClient(port, kForState).get("/test/state");
    if (reply.status == 200) return reply.body;
  } catch (const Trouble&) {
  }
  return "null";
}

}  // namespace

TryOut::~TryOut() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_ == 0; });
}

bool TryOut::send(std::string_view what, int times) {
  if (std::find(kWhatToTry.begin(), kWhatToTry.end(), what) == kWhatToTry.end())
    return false;
  const std::scoped_lock lock(mutex_);
  if (times < 1 || under_way_ + times > kAtOnce) return false;
  for (int i = 0; i < times; ++i) {
    const int number = ++last_;
    const std::string name(what);
    std::thread([this, number, name] { await_answer(number, name); }).detach();
    sent_.push_back({.number = number, .what = name, .at = Clock::now()});
    ++under_way_;
  }
  while (sent_.size() > kRemembered) sent_.erase(sent_.begin());
  return true;
}

void TryOut::await_answer(int number, const std::string& what) {
  std::string answer;
  try {
    answer = HttpClient(port_, kLongest)
                 .get("/test/" + what + "?client=request-" + std::to_string(number))
                 .body;
  } catch (const Trouble& e) {
    answer = e.what();
  }
  const std::scoped_lock lock(mutex_);
  for (Sent& sent : sent_) {
    if (sent.number != number) continue;
    sent.took = std::chrono::duration<double>(Clock::now() - sent.at).count();
    sent.answer = answer;
  }
  --under_way_;
  changed_.notify_all();
}

std::string TryOut::state_json() const {
  const std::string state = state_at(port_);
  std::string sent;
  const std::scoped_lock lock(mutex_);
  for (const Sent& each : sent_) {
    sent += (sent.empty() ? "" : ",") +
            printed("{\"number\":%d,\"what\":%s,\"age_s\":%.1f,\"took_s\":%.1f,",
                    each.number, json_string(each.what).c_str(),
                    std::chrono::duration<double>(Clock::now() - each.at).count(),
                    each.took) +
            "\"answer\":" + json_string(each.answer) + "}";
  }
  return "{\"sent\":[" + sent + "],\"state\":" + state + "}\n";
}

}  // namespace holdfast::shop
