// SPDX-License-Identifier: Apache-2.0

#include "support/zookeeper_shared.h"

#include <fcntl.h>
#include <sys/file.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "support/loopback.h"
#include "support/process.h"
#include "support/zookeeper_server.h"

namespace holdfast::test {
namespace {

// The files are beside the program: one server for each build.
const std::string kUse = HOLDFAST_ZOOKEEPER_KEEPER ".port";
const std::string kStart = HOLDFAST_ZOOKEEPER_KEEPER ".start";

Socket lock(const std::string& path, int how) {
  Socket file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file || flock(file.fd(), how) != 0) {
    throw std::runtime_error("cannot lock " + path);
  }
  return file;
}

std::uint16_t port_in_use() {
  std::uint16_t port = 0;
  std::ifstream(kUse) >> port;
  return port != 0 && zookeeper_serves(port) ? port : 0;
}

std::uint16_t start_keeper() {
  const Socket alone = lock(kStart, LOCK_EX);
  if (const std::uint16_t port = port_in_use()) return port;
  Process keeper({"setsid", "--fork", HOLDFAST_ZOOKEEPER_KEEPER, kUse});
  const std::string answer = keeper.read_line().value_or("the keeper does not answer");
  if (answer != "ready") throw std::runtime_error(answer);
  return port_in_use();
}

}  // namespace

std::uint16_t shared_zookeeper() {
  static const Socket use = lock(kUse, LOCK_SH);  // It is held until this process ends.
  static const std::uint16_t found = port_in_use();
  static const std::uint16_t port = found != 0 ? found : start_keeper();
  return port;
}

}  // namespace holdfast::test
