// SPDX-License-Identifier: Apache-2.0

// election.cc - one leader among many, its work, and an observer.
//
//   $ ./election
//   observed: 10.0.0.1 leads
//   observed: 10.0.0.2 leads
//   10.0.0.2 has led 3 rounds

#include <holdfast/holdfast.h>

#include <atomic>
#include <iostream>
#include <thread>

int main() try {
  holdfast::Election first(holdfast::Client::open().value(), "scheduler");
  holdfast::Election second(holdfast::Client::open().value(), "scheduler");
  holdfast::Election observer(holdfast::Client::open().value(), "scheduler");
  first.campaign("10.0.0.1").value();  // every client can see the payload
  const holdfast::FencingToken older = first.token();

  std::atomic<int> observed = 0;
  auto news = observer.observe([&](const std::optional<holdfast::Leader>& leader) {
    if (!leader) return;  // there is no leader for a moment
    std::cout << "observed: " << leader->payload << " leads\n" << std::flush;
    ++observed;
    observed.notify_all();
  });
  if (!news) throw holdfast::Error(news.error());
  observed.wait(0);

  int rounds = 0;
  std::jthread candidate([&] {
    // Waits until it leads, works while it leads, and resigns.
    const auto work = [&](const std::stop_token& over) {
      observed.wait(1);
      while (!over.stop_requested() && rounds < 3) ++rounds;
      if (second.token() <= older) rounds = -1;  // tokens grow with each leader
    };
    if (!second.lead(work, "10.0.0.2")) rounds = -1;
  });

  first.resign().value();
  candidate.join();
  std::cout << "10.0.0.2 has led " << rounds << " rounds\n";
  return rounds == 3 && !first.is_leader() && !observer.leader().value() ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}
