// SPDX-License-Identifier: Apache-2.0

// shop/stores/presence.h - how many requests of a sale are where, for the page.
//
// A request is inside from its look at the stock until it has written it: that is what
// a lock protects. The services count in one piece of shared memory, so that the sum of
// all of them is exact: a lock that works lets one in at a time, and `most` proves it.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "stores/stock.h"

namespace holdfast::shop {

// It is safe for concurrent use, by several processes.
struct Presence {
  struct Service {
    std::atomic<int> buying = 0;  // all requests for an item, those inside among them
    std::atomic<int> inside = 0;
  };

  static constexpr std::size_t kServices = 16;
  std::atomic<int> inside = 0;  // at all services
  std::atomic<int> most = 0;    // that were inside at once
  std::array<Service, kServices> services;

  void enter(Service& service) noexcept;
  void leave(Service& service) noexcept;
};
static_assert(std::atomic<int>::is_always_lock_free);

// A presence in a file, which several processes map.
class PresenceFile {
 public:
  // Makes the file if it is not there, with no request in. Without a path it is for
  // this process alone. Throws Trouble.
  explicit PresenceFile(const std::string& path);
  PresenceFile(const PresenceFile&) = delete;
  PresenceFile& operator=(const PresenceFile&) = delete;
  ~PresenceFile();

  Presence& operator*() const noexcept { return *presence_; }
  Presence* operator->() const noexcept { return presence_; }

 private:
  Presence* presence_;
};

// Counts one in for as long as it lives.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) noexcept : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  std::atomic<int>& count_;
};

// A connection that tells when its request is inside: until it has written, or until
// leave().
class SeenStock : public StockConnection {
 public:
  SeenStock(std::unique_ptr<StockConnection> connection, Presence& presence,
            Presence::Service& service)
      : stock_(std::move(connection)), presence_(presence), service_(service) {}
  ~SeenStock() override { leave(); }

  void leave() noexcept {
    if (std::exchange(inside_, false)) presence_.leave(service_);
  }

  // Reads for a caller that writes nothing, and so is not inside.
  Stock look() { return stock_->read(); }

  void fill(int count) override { stock_->fill(count); }
  Stock read() override {
    enter();
    return seen([this] { return stock_->read(); });
  }
  void write(int count) override {
    const Leaving at_the_end(*this);
    stock_->write(count);
  }
  bool take_one() override { return stock_->take_one(); }
  bool write_if(const Stock& expect) override {
    const Leaving at_the_end(*this);
    return stock_->write_if(expect);
  }
  bool write_fenced(int count, std::uint64_t token) override {
    const Leaving at_the_end(*this);
    return stock_->write_fenced(count, token);
  }
  void begin() override { stock_->begin(); }
  Stock read_alone() override {
    const Stock stock = stock_->read_alone();  // which waits for the others
    enter();
    return seen([&] { return stock; });
  }
  Stock read_shared() override {
    enter();
    return seen([this] { return stock_->read_shared(); });
  }
  void commit() override { stock_->commit(); }
  void roll_back() noexcept override { stock_->roll_back(); }

 private:
  struct Leaving {
    explicit Leaving(SeenStock& seen_stock) noexcept : stock(seen_stock) {}
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;
    ~Leaving() { stock.leave(); }
    SeenStock& stock;
  };

  void enter() noexcept {
    if (!std::exchange(inside_, true)) presence_.enter(service_);
  }

  // A request that finds nothing to sell, or fails, leaves at once: it unlocks before
  // its purchase ends.
  template <class Read>
  Stock seen(Read read) {
    try {
      const Stock stock = read();
      if (stock.count <= 0) leave();
      return stock;
    } catch (...) {
      leave();
      throw;
    }
  }

  const std::unique_ptr<StockConnection> stock_;
  Presence& presence_;
  Presence::Service& service_;
  bool inside_ = false;
};

}  // namespace holdfast::shop
