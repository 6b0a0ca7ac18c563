// SPDX-License-Identifier: Apache-2.0

// with_engine ENGINE COMMAND [ARG...] - runs a command with HOLDFAST_URL set to a new,
// empty engine, which ends with it. For scripts that look at every engine.

#include <iostream>

#include "cli/servers.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

Served serve_local() {
  const auto folder = std::make_shared<TempDir>();
  return {.url = "local://" + folder->file("locks"), .server = folder};
}

Served serve_quorum() {
  const auto folder = std::make_shared<TempDir>();
  const std::string part = "local://" + folder->file("part");
  return {.url = "quorum:" + part + "1," + part + "2," + part + "3", .server = folder};
}

Served serve(const std::string& name) {
  if (name == "local") return serve_local();
  if (name == "quorum") return serve_quorum();
  for (const ServerEngine& each : server_engines()) {
    if (each.name == name) return each.serve_alone();
  }
  throw std::runtime_error("the engine " + name + " is not built in");
}

// Its output goes where ours goes, line by line.
int run(std::vector<std::string> command, const std::string& url) {
  Process process(std::move(command), {"HOLDFAST_URL=" + url});
  process.close_stdin();
  while (const auto line = process.read_line(std::chrono::hours(1))) {
    std::cout << *line << std::endl;
  }
  return process.wait().value_or(1);
}

}  // namespace
}  // namespace holdfast::test

int main(int count, char** words) try {
  if (count < 3) {
    std::cerr << "usage: with_engine ENGINE COMMAND [ARG...]\n";
    return 64;
  }
  const holdfast::test::Served served = holdfast::test::serve(words[1]);
  return holdfast::test::run({words + 2, words + count}, served.url);
} catch (const std::exception& e) {
  std::cerr << "with_engine: " << e.what() << '\n';
  return 69;
}
