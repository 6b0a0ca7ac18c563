// SPDX-License-Identifier: Apache-2.0

// crash_victim SEGMENT SCENE N - plays a scene and is killed before its N-th store.
//
// It prints "ready" and waits for a line where the test has something to do first. It
// ends with status 0 if the scene was over before the N-th store.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/uri.h"
#include "engines/local/engine.h"
#include "engines/local/memory/shared.h"
#include "faults/crash_points/fresh_heads.h"
#include "holdfast/clock.h"

namespace {

std::atomic<long> g_left{-1};
std::atomic<bool> g_every_thread{false};
thread_local bool t_armed = false;

}  // namespace

namespace holdfast::local {

void crash_point() noexcept {
  if (!t_armed && !g_every_thread.load()) return;
  if (g_left.fetch_sub(1) == 1) {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
  }
}

}  // namespace holdfast::local

namespace {

using namespace holdfast;
using namespace holdfast::engine;

constexpr auto kNever = Deadline::max();

struct Scene {
  std::string path;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Session> session;

  void open() {
    engine = std::move(*local::make_engine(base::parse_uri("local://" + path).value()));
    SessionOptions options;
    options.client = {1, 2, 3};
    options.payload = "crash victim";
    session = engine->open(options).value();
  }
  std::shared_ptr<Resource> bind(Kind kind, const std::string& name) const {
    return session->bind({kind, name}).value();
  }
};

void wait_for_test() {
  std::cout << "ready" << std::endl;
  std::string line;
  std::getline(std::cin, line);
}

void plain(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "plain");
  t_armed = true;
  const Claim claim{.ticket = Ticket{1}};
  lock->attempt(claim, nullptr, kNever).value();
  lock->drop(claim, kNever).value();
}

void leased(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "leased");
  t_armed = true;
  const Claim claim{
      .ticket = Ticket{1}, .lease = std::chrono::hours(1), .payload = "text"};
  lock->attempt(claim, nullptr, kNever).value();
  lock->drop(claim, kNever).value();
}

void wait(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "wait");
  const auto waker = scene.session->signal();
  wait_for_test();
  t_armed = true;
  const Claim claim{.ticket = Ticket{1}};
  lock->attempt(claim, waker, kNever).value();
  lock->drop(claim, kNever).value();
}

void hand_over(Scene& scene, const Claim& claim) {
  const auto lock = scene.bind(Kind::mutex, "hand over");
  lock->attempt(claim, nullptr, kNever).value();
  wait_for_test();
  t_armed = true;
  lock->drop(claim, kNever).value();
}

// The head of the queue is not due, so the lock is freed and the head is rung.
void free_for_head(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "hand over");
  const Claim claim{.ticket = Ticket{1}};
  lock->attempt(claim, nullptr, kNever).value();
  wait_for_test();
  holdfast::test::make_heads_fresh(scene.path);
  t_armed = true;
  lock->drop(claim, kNever).value();
}

// The lock is free while a claim of the test waits.
void barge(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "barge");
  wait_for_test();
  t_armed = true;
  const Claim claim{.ticket = Ticket{1}};
  const auto verdict = lock->attempt(claim, nullptr, kNever).value();
  if (std::holds_alternative<Granted>(verdict)) lock->drop(claim, kNever).value();
}

// The test releases the lock when this claim waits.
void wait_as_head(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "head");
  const auto waker = scene.session->signal();
  wait_for_test();
  t_armed = true;
  const Claim claim{.ticket = Ticket{1}};
  auto verdict = lock->attempt(claim, waker, kNever).value();
  wait_for_test();
  while (std::holds_alternative<Blocked>(verdict)) {
    waker->wait(Clock::now() + std::chrono::milliseconds(100));
    verdict = lock->attempt(claim, waker, kNever).value();
  }
  lock->drop(claim, kNever).value();
}

void hand_over_plain(Scene& scene) { hand_over(scene, {.ticket = Ticket{1}}); }
void hand_over_leased(Scene& scene) {
  hand_over(scene, {.ticket = Ticket{1}, .lease = std::chrono::hours(1)});
}

void downgrade(Scene& scene) {
  const auto lock = scene.bind(Kind::shared_mutex, "downgrade");
  const Claim writer{.ticket = Ticket{1}};
  lock->attempt(writer, nullptr, kNever).value();
  wait_for_test();
  t_armed = true;
  const Claim reader{.ticket = Ticket{1}, .mode = Mode::shared};
  lock->amend(writer, reader, kNever).value();
  lock->drop(reader, kNever).value();
}

void count(Scene& scene) {
  const auto counter = scene.bind(Kind::counter, "count");
  t_armed = true;
  for (std::uint64_t i = 1; i <= 3; ++i) counter->add(1, Ticket{i}, kNever).value();
}

void erase(Scene& scene) {
  const auto counter = scene.bind(Kind::counter, "erase");
  t_armed = true;
  const auto now = counter->add(5, Ticket::none, kNever).value();
  counter->exchange(now, std::nullopt, Ticket::none, kNever).value();
}

void watch(Scene& scene) {
  const auto counter = scene.bind(Kind::counter, "count");
  const auto waker = scene.session->signal();
  t_armed = true;
  const auto kept = counter->watch(waker, kNever).value();
  counter->add(1, Ticket::none, kNever).value();
}

void names(Scene& scene) {
  const std::string fresh = "new name " + std::to_string(g_left.load()) + " ";
  t_armed = true;
  for (int i = 0; i < 6; ++i) {
    scene.bind(Kind::mutex, fresh + std::to_string(i));
    scene.bind(Kind::mutex, fresh + std::string(300, 'x') + std::to_string(i));
  }
}

void evict(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "evict");
  wait_for_test();
  t_armed = true;
  const auto entries = lock->survey(8, kNever).value();
  for (const auto& entry : entries) {
    if (entry.granted) (void)lock->evict(entry.owner, kNever);
  }
}

void leave(Scene& scene) {
  const auto lock = scene.bind(Kind::mutex, "leave");
  lock->attempt({.ticket = Ticket{1}}, nullptr, kNever).value();
  const auto other = scene.bind(Kind::semaphore, "leave too");
  other->attempt({.ticket = Ticket{2}, .capacity = 3}, nullptr, kNever).value();
  g_every_thread = true;
  scene.session.reset();
}

// Leaves claims and a watch for the reaper. The process is killed by itself, not at a
// store.
void leave_everything(Scene& scene) {
  plain(scene);
  const auto a = scene.bind(Kind::mutex, "left plain");
  a->attempt({.ticket = Ticket{11}}, nullptr, kNever).value();
  const auto b = scene.bind(Kind::semaphore, "left permits");
  b->attempt({.ticket = Ticket{12}, .permits = 2, .capacity = 3, .payload = "p"},
             nullptr, kNever)
      .value();
  const auto kept =
      scene.bind(Kind::counter, "count")->watch(scene.session->signal(), kNever);
  ::kill(::getpid(), SIGKILL);
}

void nothing(Scene&) {}

const std::map<std::string, void (*)(Scene&)> kScenes = {
    {"plain", plain},
    {"leased", leased},
    {"wait", wait},
    {"hand_over_plain", hand_over_plain},
    {"free_for_head", free_for_head},
    {"barge", barge},
    {"head", wait_as_head},
    {"hand_over_leased", hand_over_leased},
    {"downgrade", downgrade},
    {"count", count},
    {"erase", erase},
    {"watch", watch},
    {"names", names},
    {"evict", evict},
    {"leave", leave},
    {"leave_everything", leave_everything},
    {"reap", nothing},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  Scene scene{argv[1], nullptr, nullptr};
  const std::string name = argv[2];
  g_left = std::stol(argv[3]);
  if (name == "reap") t_armed = true;  // Joining reaps the sessions that have ended.
  scene.open();
  kScenes.at(name)(scene);
  t_armed = false;
  return 0;
}
