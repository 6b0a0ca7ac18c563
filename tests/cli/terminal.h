// SPDX-License-Identifier: Apache-2.0

// tests/cli/terminal.h - a terminal for the program's stderr.
//
//   Terminal terminal;
//   holdfast.set("ERR=" + terminal.name());
//   holdfast({"run", "-n", "job", "true"});
//   EXPECT_THAT(terminal.text(), HasSubstr("Holder"));

#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace holdfast::test {

class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) {
      throw std::runtime_error("there is no terminal to be had");
    }
    name_ = ptsname(master_);
    slave_ = open(name_.c_str(), O_RDWR | O_NOCTTY);  // so that the text is kept
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    close(slave_);
    close(master_);
  }

  const std::string& name() const { return name_; }

  // Returns what was written since the last call.
  std::string text() const {
    std::string read;
    std::array<char, 4096> bytes;
    ssize_t count;
    while ((count = ::read(master_, bytes.data(), bytes.size())) > 0) {
      read.append(bytes.data(), static_cast<std::size_t>(count));
    }
    std::erase(read, '\r');
    return read;
  }

 private:
  int master_;
  int slave_ = -1;
  std::string name_;
};

}  // namespace holdfast::test
