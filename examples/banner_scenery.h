// SPDX-License-Identifier: Apache-2.0

// What the examples at the head of the public headers speak of, so that they compile.

#pragma once

#include <holdfast/coroutine.h>
#include <holdfast/future.h>
#include <holdfast/holdfast.h>
#include <holdfast/testing.h>
#ifdef HOLDFAST_BANNER_OF_ASIO
#include <holdfast/asio.h>

#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#endif
#ifdef HOLDFAST_BANNER_OF_EXECUTION
#include <holdfast/execution.h>
#endif

#include <chrono>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string_view>

using namespace std::chrono_literals;

struct Row {};
struct Table {
  void update(Row, holdfast::FencingToken) {}
  void write(Row, holdfast::FencingToken) {}
  int get(int) { return 0; }
  void put(int, int) {}
};
struct Job {
  void abandon() {}
};
struct Histogram {
  void observe(std::chrono::nanoseconds) {}
};
struct User {
  std::int64_t id = 0;
};

inline void report(std::string_view) {}
inline void report(const holdfast::Failure&) {}
inline void serve(holdfast::Hold) {}
inline Histogram histogram(std::string_view) { return {}; }
inline void compute() {}
inline void schedule(holdfast::FencingToken) {}
inline void ship(std::int64_t, std::int64_t) {}
inline void rewrite(int, holdfast::FencingToken) {}
inline void retry(const holdfast::Versioned&) {}
inline void use(std::int64_t) {}
inline int settle(const User& user) { return static_cast<int>(user.id); }
inline int transfer(int from, int to) { return from + to; }

inline Table table;
inline Table storage;
inline Row row;
inline Job job;
inline User user;
inline int id = 0;
inline int prices = 0;
inline holdfast::FencingToken token;
inline std::stop_token ending;
inline std::string_view reply;
inline std::chrono::steady_clock::time_point deadline;
inline holdfast::Client client = holdfast::Client::open().value();
inline holdfast::Client redis = holdfast::Client::open().value();
inline holdfast::Client local = holdfast::Client::open().value();
inline holdfast::Mutex mutex(redis, "invoices/42");
inline holdfast::Mutex stock(redis, "stock/1001");
inline holdfast::SharedCount limit(redis, "limit", 100);
inline holdfast::Counter counter(redis, "stock/1001/left");
