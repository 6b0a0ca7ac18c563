// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/verbs.h - one function per verb, one file per function.
//
// `args` is what follows the verb. Each function returns the exit code of the process.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

int run(std::vector<std::string> args);
int elect(std::vector<std::string> args);
int latch(std::vector<std::string> args);
int barrier(std::vector<std::string> args);
int counter(std::vector<std::string> args);
int count(std::vector<std::string> args);
int semaphore(std::vector<std::string> args);
int hold(std::vector<std::string> args);
int rm(std::vector<std::string> args);
int wait(std::vector<std::string> args);
int ls(std::vector<std::string> args);
int show(std::vector<std::string> args);
int unlock(std::vector<std::string> args);
int gc(std::vector<std::string> args);
int schema(std::vector<std::string> args);
int demo(std::vector<std::string> args);  // where it is built
int help(std::vector<std::string> args);
int version(std::vector<std::string> args);
int document(std::vector<std::string> args);

struct Entrance {
  std::string_view verb;
  int (*enter)(std::vector<std::string> args);
  std::string_view purpose;  // empty means that the verb is not for users
  bool has_table = true;     // Its options are those of a Verb.
};

// The verbs are in the order of the help.
std::span<const Entrance> all_verbs();

}  // namespace holdfast::cli
