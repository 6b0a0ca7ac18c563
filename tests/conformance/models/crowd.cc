// SPDX-License-Identifier: Apache-2.0

#include "conformance/models/crowd.h"

#include <algorithm>
#include <optional>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Kind;
using engine::Mode;
using namespace std::chrono_literals;

std::string arguments(Kind kind, const Request& request) {
  if (request.mode == Mode::shared) return " shared";
  return kind == Kind::semaphore ? " " + spelt(request.permits) : "";
}

}  // namespace

Crowd::Crowd(EngineUnderTest& engine, const Form& form, const std::string& name)
    : form_(form),
      patience_(patience() + engine.death_told_within()),
      steps_to_a_death_(engine.death_told_within() < patience() ? 50 : 200),
      stage_(engine, form.name + " " + name + " " + spelt(form.number),
             {{form.kind, name}}),
      ordered_(stage_.traits().orders),
      parties_(form.kind == Kind::double_barrier),
      queue_(form.kind, ordered_ && !parties_, form.number),
      history_(dice_.seed()) {}

void Crowd::step() {
  const std::size_t who = dice_.below(kPlayers);
  if (dice_.one_in(steps_to_a_death_)) {
    die(who);
  } else if (queue_.is_waiting(who)) {
    return;
  } else if (form_.kind == Kind::semaphore && dice_.one_in(20)) {
    resize(who);
  } else if (queue_.is_inside(who)) {
    const bool writes = form_.kind == Kind::shared_mutex && queue_.is_writer(who);
    writes&& ordered_&& dice_.one_in(2) ? downgrade(who) : leave(who);
  } else if (parties_ && dice_.one_in(4)) {
    leave_again(who);
  } else {
    dice_.one_in(4) ? try_it(who) : take(who);
  }
  let_in();
  EXPECT_TRUE(shows_the_queue()) << history_;
}

Request Crowd::some_request(std::size_t who) {
  Request request{who};
  if (form_.kind == Kind::semaphore) {
    request.permits = static_cast<std::uint32_t>(dice_.between(1, queue_.number()));
  }
  // Without order, it is not defined what a reader may do while a writer waits.
  if (form_.kind == Kind::shared_mutex && ordered_ && !dice_.one_in(3)) {
    request.mode = Mode::shared;
  }
  return request;
}

void Crowd::expect(std::size_t who, const std::string& command,
                   const std::string& expected) {
  const std::string answer = stage_.player(who).ask("do " + command);
  history_.add(who, command, answer);
  EXPECT_TRUE(answer == expected || answer.starts_with(expected + " "))
      << "expected: " << expected << history_;
}

void Crowd::take(std::size_t who) {
  const Request request = some_request(who);
  const std::string command = "take" + arguments(form_.kind, request);
  history_.add(who, command, "...");
  stage_.player(who).tell("do " + command);
  queue_.arrive(request);
}

// Makes one attempt, which leaves no trace.
void Crowd::try_it(std::size_t who) {
  const Request request = some_request(who);
  queue_.arrive(request);
  const auto next = queue_.next();
  const bool enters = std::ranges::find(next, who) != next.end();
  enters ? queue_.enter(who) : queue_.leave(who);
  if (enters) leaving_.erase(who);
  expect(who, "try" + arguments(form_.kind, request), ok(enters));
}

void Crowd::leave(std::size_t who) {
  queue_.leave(who);
  if (!parties_) return expect(who, "release", ok());
  const bool last = queue_.inside().empty();
  if (!last) leaving_.insert(who);
  expect(who, "leave", ok(last));
}

// A party that has left may go on waiting for the others.
void Crowd::leave_again(std::size_t who) {
  const bool last = queue_.inside().empty();
  if (!leaving_.contains(who)) return expect(who, "leave", error(Errc::not_held));
  if (last) leaving_.erase(who);
  expect(who, "leave", ok(last));
}

void Crowd::downgrade(std::size_t who) {
  if (stage_.traits().downgrades) queue_.downgrade(who);
  expect(who, "downgrade", ok());
}

void Crowd::resize(std::size_t who) {
  const auto number = static_cast<std::uint32_t>(dice_.between(1, 4));
  expect(who, "set " + spelt(number), ok());
  for (const std::size_t each : queue_.resize(number)) {
    const std::string answer = stage_.player(each).answer();
    history_.add(each, "", answer);
    EXPECT_TRUE(is_error(answer, Errc::bad_argument)) << "waits in vain" << history_;
  }
}

void Crowd::die(std::size_t who) {
  history_.add(who, "dies", "");
  queue_.leave(who);
  leaving_.erase(who);
  stage_.replace(who);
}

void Crowd::let_in() {
  for (auto next = queue_.next(); !next.empty(); next = queue_.next()) {
    std::optional<std::size_t> first;
    const auto answered = [&](std::size_t who) {
      const std::string answer = stage_.player(who).answer(1ms);
      if (answer.empty()) return false;
      history_.add(who, "", answer);
      EXPECT_EQ(answer, "ok") << history_;
      first = who;
      return true;
    };
    const auto one_got_in = [&] { return std::ranges::any_of(next, answered); };
    ASSERT_TRUE(eventually(one_got_in, patience_)) << "no process gets in" << history_;
    queue_.enter(*first);
    leaving_.erase(*first);
  }
}

// Where there is no order, it does not matter which waiters have been seen.
testing::AssertionResult Crowd::shows_the_queue() const {
  return ordered_ ? stage_.shows(queue_.inside().size(), queue_.waiting().size())
                  : stage_.shows(queue_.inside().size());
}

}  // namespace holdfast::test
