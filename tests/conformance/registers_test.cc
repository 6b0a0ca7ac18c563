// SPDX-License-Identifier: Apache-2.0

// Registers are values that outlive every client.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Kind;
using engine::Ticket;
using engine::Value;
using namespace std::chrono_literals;

class Registers : public Conformance {
 protected:
  std::shared_ptr<engine::Resource> bind(Kind kind = Kind::counter) {
    clients_.push_back(open());
    return clients_.back().session().bind({kind, name("a")}).value();
  }
  const Client& last_client() const { return clients_.back(); }

 private:
  std::vector<Client> clients_;
};

HOLDFAST_CONFORMANCE(Registers);

TEST_P(Registers, AreAbsentAtFirst) {
  for (const Kind kind : {Kind::counter, Kind::latch, Kind::barrier}) {
    const Value value = bind(kind)->load(soon()).value();
    EXPECT_EQ(value.number, 0);
    EXPECT_EQ(value.version, 0u);
  }
}

TEST_P(Registers, AddStartsACounterFromZero) {
  const auto counter = bind();
  const Value first = counter->add(5, Ticket::none, soon()).value();
  EXPECT_EQ(first.number, 5);
  EXPECT_NE(first.version, 0u);
  const Value second = bind()->add(-7, Ticket::none, soon()).value();
  EXPECT_EQ(second.number, -2);
  EXPECT_NE(second.version, first.version);
  EXPECT_EQ(counter->load(soon()).value().number, -2);
  EXPECT_EQ(counter->load(soon()).value().version, second.version);
}

TEST_P(Registers, AddLeavesAnAbsentLatchAlone) {
  const auto latch = bind(Kind::latch);
  EXPECT_EQ(latch->add(-1, Ticket::none, soon()).value().version, 0u);
  EXPECT_EQ(latch->load(soon()).value().version, 0u);
}

TEST_P(Registers, OutliveTheirClients) {
  {
    const Client client = open();
    const auto counter = client.session().bind({Kind::counter, name("a")}).value();
    ASSERT_TRUE(counter->add(42, Ticket::none, soon()));
  }
  EXPECT_EQ(bind()->load(soon()).value().number, 42);
}

TEST_P(Registers, ExchangeCreatesChangesAndErases) {
  const auto counter = bind();
  const auto created = counter->exchange({}, 7, Ticket::none, soon()).value();
  ASSERT_TRUE(created.done);
  EXPECT_EQ(created.now.number, 7);
  const auto changed = counter->exchange(created.now, 8, Ticket::none, soon()).value();
  ASSERT_TRUE(changed.done);
  EXPECT_EQ(counter->load(soon()).value().number, 8);
  const auto erased =
      counter->exchange(changed.now, std::nullopt, Ticket::none, soon()).value();
  ASSERT_TRUE(erased.done);
  EXPECT_EQ(counter->load(soon()).value().version, 0u);
}

TEST_P(Registers, ExchangeRefusesWhatIsNotThere) {
  const auto counter = bind();
  const Value five = counter->add(5, Ticket::none, soon()).value();
  const auto create = counter->exchange({}, 9, Ticket::none, soon()).value();
  EXPECT_FALSE(create.done);
  EXPECT_EQ(create.now.number, 5);
  Value wrong = five;
  wrong.number = 6;
  EXPECT_FALSE(counter->exchange(wrong, 9, Ticket::none, soon()).value().done);
  EXPECT_FALSE(
      counter->exchange(wrong, std::nullopt, Ticket::none, soon()).value().done);
  EXPECT_EQ(counter->load(soon()).value().number, 5);
}

TEST_P(Registers, AnExchangeOfAbsentForAbsentIsDone) {
  const Client client = open();
  for (const Kind kind : {Kind::counter, Kind::latch, Kind::barrier, Kind::shared_count,
                          Kind::semaphore, Kind::double_barrier}) {
    const auto resource =
        client.session()
            .bind({kind, name(std::to_string(static_cast<int>(kind)))})
            .value();
    const Ticket ticket = next_ticket();
    for (int i = 0; i < 2; ++i) {
      const auto absent = resource->exchange({}, std::nullopt, ticket, soon()).value();
      EXPECT_TRUE(absent.done) << static_cast<int>(kind);
      EXPECT_EQ(absent.now.version, 0u) << static_cast<int>(kind);
    }
    EXPECT_EQ(resource->load(soon()).value().version, 0u) << static_cast<int>(kind);
    ASSERT_TRUE(resource->exchange({}, 1, Ticket::none, soon()).value().done);
    const auto present = resource->exchange({}, std::nullopt, Ticket::none, soon());
    EXPECT_FALSE(present.value().done) << static_cast<int>(kind);
    EXPECT_EQ(present->now.number, 1) << static_cast<int>(kind);
  }
}

TEST_P(Registers, AnyVersionStandsForWhatIsPresent) {
  const Client client = open();
  for (const Kind kind : {Kind::counter, Kind::latch, Kind::barrier, Kind::shared_count,
                          Kind::semaphore, Kind::double_barrier}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const auto resource =
        client.session()
            .bind({kind, name(std::to_string(static_cast<int>(kind)))})
            .value();
    const auto exchange = [&](const Value& from, std::optional<std::int64_t> to) {
      return resource->exchange(from, to, next_ticket(), soon()).value();
    };
    const Value one{1, engine::kAnyVersion};
    const auto absent = exchange(one, 1);
    EXPECT_FALSE(absent.done);
    EXPECT_EQ(absent.now.version, 0u);
    ASSERT_TRUE(exchange({}, 1).done);
    const auto other = exchange({2, engine::kAnyVersion}, std::nullopt);
    EXPECT_FALSE(other.done);
    EXPECT_EQ(other.now.number, 1);
    EXPECT_NE(other.now.version, 0u);
    // A barrier, and the flag of a double barrier, are present or not.
    if (kind != Kind::barrier && kind != Kind::double_barrier) {
      ASSERT_TRUE(exchange(one, 2).done);
      EXPECT_FALSE(exchange(one, 3).done);
      ASSERT_TRUE(exchange({2, engine::kAnyVersion}, 1).done);
    }
    EXPECT_EQ(resource->load(soon()).value().number, 1);
    EXPECT_TRUE(exchange(one, std::nullopt).done);
    EXPECT_EQ(resource->load(soon()).value().version, 0u);
  }
}

TEST_P(Registers, AVersionTellsApartWhatChangedBack) {
  const Client client = open();
  ASSERT_TRUE(client.traits(Kind::shared_count).versions);
  for (const Kind kind : {Kind::shared_count, Kind::counter, Kind::latch}) {
    if (!client.traits(kind).versions) continue;
    const auto count = client.session().bind({kind, name("a")}).value();
    const Value before = count->exchange({}, 5, Ticket::none, soon()).value().now;
    const Value other = count->exchange(before, 6, Ticket::none, soon()).value().now;
    const Value back = count->exchange(other, 5, Ticket::none, soon()).value().now;
    EXPECT_EQ(back.number, before.number);
    EXPECT_NE(back.version, before.version);
    EXPECT_FALSE(count->exchange(before, 9, Ticket::none, soon()).value().done);
    ASSERT_TRUE(count->exchange(back, std::nullopt, Ticket::none, soon()).value().done);
    const Value again = count->exchange({}, 5, Ticket::none, soon()).value().now;
    EXPECT_NE(again.version, before.version) << "erased and made anew";
    EXPECT_NE(again.version, back.version) << "erased and made anew";
    EXPECT_TRUE(
        count->exchange(again, std::nullopt, Ticket::none, soon()).value().done);
  }
}

TEST_P(Registers, ARepeatedAddAddsOnce) {
  const auto counter = bind();
  const Ticket ticket = next_ticket();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(counter->add(5, ticket, soon()).value().number, 5) << "call " << i;
  }
  EXPECT_EQ(counter->add(5, next_ticket(), soon()).value().number, 10);
}

TEST_P(Registers, ARepeatedExchangeIsDoneOnce) {
  const auto counter = bind();
  const Value five = counter->add(5, Ticket::none, soon()).value();
  const Ticket ticket = next_ticket();
  const auto first = counter->exchange(five, 6, ticket, soon()).value();
  const auto again = counter->exchange(five, 6, ticket, soon()).value();
  EXPECT_TRUE(first.done);
  EXPECT_TRUE(again.done) << "the reply was lost, not the change";
  EXPECT_EQ(again.now.version, first.now.version);
  EXPECT_EQ(counter->load(soon()).value().version, first.now.version);
}

TEST_P(Registers, ConcurrentAddsLoseNothing) {
  const std::string shared = name("a");
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, counter = bind()] {
        for (int j = 0; j < 250; ++j) {
          EXPECT_TRUE(counter->add(1, Ticket::none, soon()));
        }
      });
    }
  }
  EXPECT_EQ(bind()->load(soon()).value().number, 1000);
}

TEST_P(Registers, AWatchRingsOnChange) {
  for (const Kind kind : {Kind::counter, Kind::latch, Kind::shared_count}) {
    const auto writer = bind(kind);
    const auto seen = bind(kind);
    const engine::Waker signal = last_client().session().signal();
    Value last = seen->load(soon()).value();
    for (int i = 0; i < 3; ++i) {
      const auto watch = seen->watch(signal, soon()).value();
      EXPECT_EQ(seen->load(soon()).value().version, last.version);
      std::jthread change([&] {
        EXPECT_TRUE(writer->exchange(last, i, Ticket::none, soon()).value().done);
      });
      const auto give_up = soon();
      Value now = last;
      while (now.version == last.version && Clock::now() < give_up) {
        signal->wait(give_up);
        now = seen->load(soon()).value();
      }
      EXPECT_NE(now.version, last.version) << "not rung";
      EXPECT_LT(Clock::now(), give_up) << "not rung";
      change.join();
      last = now;
    }
    if (last.version != 0) {
      EXPECT_TRUE(
          writer->exchange(last, std::nullopt, Ticket::none, soon()).value().done);
    }
  }
}

TEST_P(Registers, AWatchThatHasEndedDoesNotRing) {
  const auto seen = bind();
  const engine::Waker signal = last_client().session().signal();
  const auto writer = bind();
  {
    const auto watch = seen->watch(signal, soon()).value();
    ASSERT_TRUE(writer->add(1, Ticket::none, soon()));
    signal->wait(soon());
  }
  signal->wait(Clock::now());  // A ring that came before the end is taken here.
  ASSERT_TRUE(writer->add(1, Ticket::none, soon()));
  const auto start = Clock::now();
  signal->wait(start + 100ms);
  EXPECT_GE(Clock::now() - start, 100ms) << "it was rung";
}

// Two watches on one name: while the first ring of one of them is under way, the other
// one ends.
struct EndingWatch {
  static constexpr int kNone = -1;
  std::atomic<int> first{kNone};  // the watch that was rung first
  std::atomic<int> rings{0};      // of that watch
  std::atomic<bool> ended{false};
  std::atomic<int> late_rings{0};  // of the other one, after its end
};

class EndingSignal final : public engine::Signal {
 public:
  EndingSignal(std::shared_ptr<EndingWatch> seen, int index) noexcept
      : seen_(std::move(seen)), index_(index) {}

  // The end of the other watch may wait for this ring, so the ring does not wait long.
  void ring() noexcept override {
    int first = EndingWatch::kNone;
    if (seen_->first.compare_exchange_strong(first, index_)) {
      (void)eventually([&] { return seen_->ended.load(); }, scaled(100ms));
    }
    if (seen_->first == index_) {
      ++seen_->rings;
    } else if (seen_->ended) {
      ++seen_->late_rings;
    }
  }
  void wait(engine::Deadline) noexcept override {}

 private:
  const std::shared_ptr<EndingWatch> seen_;
  const int index_;
};

TEST_P(Registers, AWatchThatEndsDuringARingDoesNotRing) {
  const auto resource = bind();
  const auto writer = bind();
  const auto seen = std::make_shared<EndingWatch>();
  std::vector<engine::Watch> watches;
  for (const int index : {0, 1}) {
    watches.push_back(
        resource->watch(std::make_shared<EndingSignal>(seen, index), soon()).value());
  }
  std::jthread change([&] { EXPECT_TRUE(writer->add(1, Ticket::none, soon())); });
  ASSERT_TRUE(eventually([&] { return seen->first != EndingWatch::kNone; }));
  watches[seen->first == 0 ? 1 : 0].keep.reset();
  seen->ended = true;
  change.join();
  ASSERT_TRUE(eventually([&] { return seen->rings > 0; }));
  // The next ring of the same watch comes after all that the first change has caused.
  const int rings = seen->rings;
  ASSERT_TRUE(resource->load(soon()));
  ASSERT_TRUE(writer->add(1, Ticket::none, soon()));
  ASSERT_TRUE(eventually([&] { return seen->rings > rings; }));
  EXPECT_EQ(seen->late_rings, 0);
}

}  // namespace
}  // namespace holdfast::test
