// engines/zookeeper/pauses.h - when to look again although nothing was heard.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/pause.h"

namespace holdfast::zookeeper {

// The longer the line, the more who wait would list it: they take their time.
inline std::chrono::nanoseconds recheck_delay(std::size_t ahead) {
  using namespace std::chrono_literals;
  const auto most = 5s + std::min<std::size_t>(ahead, 1000) * 50ms;
  return most * 4 / 5 + base::random_part(most / 5);
}

}  // namespace holdfast::zookeeper
