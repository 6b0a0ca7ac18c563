// SPDX-License-Identifier: Apache-2.0

#include "usage.h"

#include <malloc.h>

#include <fstream>
#include <stdexcept>

namespace holdfast::bench {

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double threads_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;) {
    double threads = 0;
    if (word == "Threads:" && file >> threads) return threads;
  }
  throw std::runtime_error("process " + std::to_string(pid) + " has ended");
}

}  // namespace holdfast::bench
