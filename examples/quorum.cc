// SPDX-License-Identifier: Apache-2.0

// quorum.cc - a lock at a majority of three engines that do not know each other.
//
//   $ ./quorum
//   held at a majority of three
//   a client that has one of them is not in the way
//   a client that has two of them is

#include <holdfast/holdfast.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <mutex>

using namespace std::chrono_literals;

namespace {

// Three servers on three hosts, as a rule: quorum:redis://a,redis://b,redis://c
struct Nodes {
  std::filesystem::path dir = std::filesystem::temp_directory_path() /
                              ("holdfast-quorum-" + std::to_string(getpid()));
  Nodes() { std::filesystem::create_directory(dir); }
  ~Nodes() { std::filesystem::remove_all(dir); }

  std::string url(const char* node) const { return "local://" + (dir / node).string(); }
};

}  // namespace

int main() try {
  const Nodes nodes;
  const std::string all =
      "quorum:" + nodes.url("a") + "," + nodes.url("b") + "," + nodes.url("c");
  holdfast::Mutex mutex(holdfast::Client::open(all).value(), "billing");
  holdfast::Mutex rival(holdfast::Client::open(all).value(), "billing");

  {
    std::scoped_lock guard(mutex);
    if (rival.try_lock()) return 1;
    std::cout << "held at a majority of three\n";
  }

  // What is lost with one node, or taken there, does not matter; two do.
  holdfast::Mutex at_a(holdfast::Client::open(nodes.url("a")).value(), "billing");
  holdfast::Mutex at_b(holdfast::Client::open(nodes.url("b")).value(), "billing");
  std::scoped_lock one(at_a);
  if (!mutex.acquire({.wait = 5s})) return 1;
  std::cout << "a client that has one of them is not in the way\n";

  std::scoped_lock two(at_b);
  auto refused = mutex.acquire({.wait = 100ms});
  if (refused || refused.error().code != holdfast::Errc::timed_out) return 1;
  std::cout << "a client that has two of them is\n";
  return 0;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}
