// SPDX-License-Identifier: Apache-2.0

#include "redis/many_claims.h"

#include <chrono>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <variant>

namespace holdfast::bench::redis {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::minutes kLease(10);  // None ends while others are taken.
constexpr int kThreads = 16;                // Their requests share round trips.

// Calls `work` with every number below `end`, in several threads.
template <class Work>
void for_each_below(int end, const Work& work) {
  std::vector<std::future<void>> all;
  all.reserve(kThreads);
  for (int first = 0; first < kThreads; ++first) {
    all.push_back(std::async(std::launch::async, [=, &work] {
      for (int i = first; i < end; i += kThreads) work(static_cast<std::size_t>(i));
    }));
  }
  for (auto& each : all) each.get();
}

}  // namespace

std::string name_of(int lock) {
  char text[65];
  std::snprintf(text, sizeof text, "warehouse/001/product/%042d", lock);
  return text;
}

ManyClaims::ManyClaims(const Client& client, int locks) : client_(client) {
  const auto number = static_cast<std::size_t>(locks);
  resources_.resize(number);
  claims_.resize(number);
  refs_.resize(number);
  for_each_below(locks, [this](std::size_t i) {
    const int lock = static_cast<int>(i);
    resources_[i] =
        client_.session().bind({engine::Kind::mutex, name_of(lock)}).value();
    claims_[i].ticket = engine::Ticket(1'000'000'000 + i);
    claims_[i].lease = kLease;
    const auto verdict =
        resources_[i]->attempt(claims_[i], nullptr, Clock::now() + kPatience).value();
    if (!std::holds_alternative<engine::Granted>(verdict)) {
      throw std::runtime_error("renewal: a lock is not free");
    }
    refs_[i] = {resources_[i].get(), &claims_[i]};
  });
}

ManyClaims::~ManyClaims() {
  for_each_below(static_cast<int>(refs_.size()), [this](std::size_t i) {
    (void)resources_[i]->drop(claims_[i], Clock::now() + kPatience);
  });
}

int ManyClaims::renew() {
  client_.session().renew(refs_, Clock::now() + kPatience).value();
  int lost = 0;
  for (const engine::ClaimRef& each : refs_) lost += each.outcome ? 1 : 0;
  return lost;
}

}  // namespace holdfast::bench::redis
