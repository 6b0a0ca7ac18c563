// SPDX-License-Identifier: Apache-2.0

// bench/rivals/boost_named_mutex.h - boost::interprocess::named_mutex. It is not
// robust: a holder that dies keeps it locked for ever.

#pragma once

#include <boost/interprocess/sync/named_mutex.hpp>
#include <functional>
#include <string>

namespace holdfast::bench {

class BoostNamedMutex {
 public:
  explicit BoostNamedMutex(const std::string& path)
      : mutex_(boost::interprocess::open_or_create, name(path).c_str()) {}
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  static void remove(const std::string& path) {
    boost::interprocess::named_mutex::remove(name(path).c_str());
  }

 private:
  static std::string name(const std::string& path) {
    return "holdfast_bench_" + std::to_string(std::hash<std::string>{}(path));
  }
  boost::interprocess::named_mutex mutex_;
};

}  // namespace holdfast::bench
