// SPDX-License-Identifier: Apache-2.0

// double_barrier.cc - three parties begin together and end together.
//
//   $ ./double_barrier
//   2 rounds: all began together and ended together

#include <holdfast/holdfast.h>

#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr int kParties = 3;
constexpr int kRounds = 2;

std::atomic<int> came = 0;
std::atomic<int> finished = 0;
std::atomic<bool> together = true;

void party() {
  holdfast::DoubleBarrier barrier(holdfast::Client::open().value(), "simulation",
                                  kParties);
  for (int round = 1; round <= kRounds; ++round) {
    ++came;
    barrier.enter({.wait = 30s}).value();
    if (came < kParties * round) together = false;  // a party was not here yet

    std::this_thread::sleep_for(10ms);  // the computation

    ++finished;
    barrier.leave({.wait = 30s}).value();
    if (finished < kParties * round) together = false;  // a party was not ready
  }
}

}  // namespace

int main() {
  std::vector<std::jthread> parties(kParties);
  for (std::jthread& each : parties) each = std::jthread(party);
  parties.clear();  // waits for them
  if (!together) return 1;
  std::cout << kRounds << " rounds: all began together and ended together\n";
  return 0;
}
