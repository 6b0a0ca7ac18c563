// SPDX-License-Identifier: Apache-2.0

#include "conformance/models/dice.h"

#include <cstdlib>

namespace holdfast::test {
namespace {

std::uint64_t chosen_seed() {
  if (const char* text = std::getenv("HOLDFAST_TEST_SEED")) {
    return std::strtoull(text, nullptr, 10);
  }
  return std::random_device()();
}

}  // namespace

Dice::Dice() : seed_(chosen_seed()), random_(seed_) {}

std::int64_t Dice::between(std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
}

std::size_t Dice::below(std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
}

}  // namespace holdfast::test
