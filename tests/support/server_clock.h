// SPDX-License-Identifier: Apache-2.0

// tests/support/server_clock.h - sets the clock of a server, and of no other process.
//
//   MysqlServer server({}, ServerClock::environment(dir.file("clock")));
//   ServerClock clock(dir.file("clock"));
//   clock.step(1h);
//
// A library that is loaded into the server, server_clock_shim.cc, adds the value in the
// file to the time of day. Monotonic clocks are not touched.

#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace holdfast::test {

class ServerClock {
 public:
  // Returns the server's environment, before it starts.
  static std::vector<std::string> environment(const std::string& file) {
    write(file, {});
    return {"LD_PRELOAD=" HOLDFAST_SERVER_CLOCK_SHIM, "HOLDFAST_SERVER_CLOCK=" + file};
  }

  explicit ServerClock(std::string file) : file_(std::move(file)) {}

  // Adds to the steps before.
  void step(std::chrono::nanoseconds by) { write(file_, ahead_ += by); }

 private:
  static void write(const std::string& file, std::chrono::nanoseconds ahead) {
    const std::int64_t count = ahead.count();
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    if (!out) out.open(file, std::ios::out | std::ios::binary);
    out.write(reinterpret_cast<const char*>(&count), sizeof count);
  }

  const std::string file_;
  std::chrono::nanoseconds ahead_{};
};

}  // namespace holdfast::test
