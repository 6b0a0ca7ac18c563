// SPDX-License-Identifier: Apache-2.0

// demo/demo.h - the flash sale: six ways to sell one stock, side by side.
//
//   return holdfast::demo::main({"--stock", "5000", "--json"});

#pragma once

#include <string>
#include <vector>

#include "holdfast/export.h"

namespace holdfast::demo {

// `args` is what follows `holdfast demo`. Returns the exit code of the process. The
// shops are this same program, started again as `demo shop ...`.
int main(std::vector<std::string> args);

}  // namespace holdfast::demo

// The same, for the program, which loads the demo as a library.
extern "C" HOLDFAST_EXPORT int holdfast_demo_v0(const std::vector<std::string>& args);
