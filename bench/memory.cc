// SPDX-License-Identifier: Apache-2.0

#include <sys/stat.h>

#include <cstdio>
#include <deque>

#include "holdfast/holdfast.h"
#include "usage.h"
#include "workload.h"

namespace holdfast::bench {
namespace {

constexpr int kLocks = 100'000;

// Returns what the file occupies, without holes.
double file_bytes(const std::string& path) {
  struct stat st = {};
  if (stat(path.c_str(), &st) != 0) return 0;
  return static_cast<double>(st.st_blocks) * 512;
}

// The name has 64 bytes, the longest that the target covers.
std::string name(int i) {
  char text[65];
  std::snprintf(text, sizeof text, "warehouse/001/product/%042d", i);
  return text;
}

}  // namespace

void memory(const Context& context, Report& report) {
  const std::string segment = context.dir + "/memory";
  const Client client = Client::open("local://" + segment).value();
  std::deque<Mutex> mutexes;
  mutexes.emplace_back(client, name(kLocks)).lock();

  const double heap = heap_bytes();
  const double file = file_bytes(segment);
  for (int i = 0; i < kLocks; ++i) mutexes.emplace_back(client, name(i)).lock();
  report.add({"memory", "100,000 held: in the process", (heap_bytes() - heap) / kLocks,
              "bytes each", Target::count_at_most(512)});
  report.add({"memory", "100,000 held: in the segment",
              (file_bytes(segment) - file) / kLocks, "bytes each",
              Target::count_at_most(256)});
}

}  // namespace holdfast::bench
