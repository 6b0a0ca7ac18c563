// bench/java_peer.h - the rivals in Java: the programs of tests/interop.
//
//   auto all = JavaPeer::start({"redisson", "RLock"}, 1, url, "contended", report);

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "program.h"
#include "report.h"

namespace holdfast::bench {

struct Rival {
  std::string library;  // a folder of tests/interop
  std::string lock;     // what it calls its mutex
};

struct Storm {
  double grants = 0;
  double seconds = 0;
  double longest_ms = 0;  // that any thread waited
};

// One Java process with one client of that library.
class JavaPeer {
 public:
  // Some of them, warmed up; none if HOLDFAST_<LIBRARY>_PEER does not name the jar,
  // which the report then says.
  static std::vector<JavaPeer> start(const Rival& rival, int processes,
                                     const std::string& url,
                                     const std::string& workload, Report& report);

  // Threads lock and unlock as fast as they can: `name` itself, or if it ends in "/",
  // each a name below it.
  void begin(const std::string& name, int threads, std::chrono::milliseconds time);
  Storm end();

 private:
  JavaPeer(const Rival& rival, const std::string& jar, const std::string& url);

  std::string lock_;
  Program program_;
};

}  // namespace holdfast::bench
