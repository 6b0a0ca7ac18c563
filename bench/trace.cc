// SPDX-License-Identifier: Apache-2.0

#include "trace.h"

#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <system_error>

#include "child.h"

namespace holdfast::bench {
namespace {

struct TraceLine {
  std::string thread;
  std::string call;  // empty for the end of a call that was shown before, or for no
                     // call
};

// Reads "4711  sendto(7, ...) = 12", "4711  <... futex resumed>) = 0" or "4711  +++
// exited ...".
TraceLine parse(const std::string& text) {
  const std::size_t gap = text.find(' ');
  const std::size_t name = text.find_first_not_of(' ', gap);
  const std::size_t end = text.find('(', name);
  if (name == std::string::npos || end == std::string::npos || text[name] == '<') {
    return {};
  }
  return {text.substr(0, gap), text.substr(name, end - name)};
}

std::vector<Traced> between_marks(const std::string& path) {
  std::vector<Traced> spans;
  std::string marker;
  bool inside = false;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    const TraceLine line = parse(text);
    if (line.call == "getppid") {
      marker = line.thread;
      inside = !inside;
      if (inside) spans.emplace_back();
    } else if (inside && line.thread == marker) {
      ++spans.back().calls;
      if (line.call == "sendto" || line.call == "sendmsg") ++spans.back().sent;
    }
  }
  return spans;
}

}  // namespace

void mark() { (void)getppid(); }

std::optional<std::vector<Traced>> trace(const std::vector<std::string>& role,
                                         const std::string& dir) {
  const std::string output = dir + "/trace";
  try {
    if (Child({"nothing"}, {"strace", "-o", output}).wait() != 0) return std::nullopt;
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  if (Child(role, {"strace", "-f", "-qq", "-o", output}).wait() != 0) {
    throw std::runtime_error("the role '" + role.front() + "' failed under strace");
  }
  return between_marks(output);
}

}  // namespace holdfast::bench
