// SPDX-License-Identifier: Apache-2.0

// tests/interop/holder_main.cc - a process to kill while it holds a lock of ours.
//
//   interop_holder URL KIND NAME TTL_MS      says "held", and ends with its input

#include <iostream>
#include <string>

#include "interop/ours.h"

int main(int argc, char** argv) {
  using namespace holdfast::test;
  if (argc != 5) return 64;
  const std::string kind = argv[2];
  const auto client =
      open_ours(kind, argv[1], std::chrono::milliseconds(std::stol(argv[4])));
  const auto lock = make_ours(kind, client, argv[3]);
  lock->acquire().value();
  std::cout << "held" << std::endl;
  std::cin.get();
}
