// SPDX-License-Identifier: Apache-2.0

// holdfast_zookeeper_keeper FILE - runs the server of zookeeper_shared.h.
//
// Writes its port to FILE and prints "ready", or one line that says why not. Every user
// of the server has a shared lock on FILE; after ten seconds without one, the keeper
// ends.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <thread>

#include "support/loopback.h"
#include "support/zookeeper_server.h"

namespace {

using namespace std::chrono_literals;
using holdfast::test::Socket;

// Closes the descriptor whose end the parent waits for.
void leave(int fd) {
  const Socket nowhere(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(nowhere.fd(), fd);
}

// Returns with the lock: a process that comes now waits until this process has ended.
void wait_until_unused(const Socket& file) {
  constexpr int kLooks = 20;
  for (int unused = 0; unused < kLooks;) {
    flock(file.fd(), LOCK_UN);
    std::this_thread::sleep_for(500ms);
    unused = flock(file.fd(), LOCK_EX | LOCK_NB) == 0 ? unused + 1 : 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  leave(STDERR_FILENO);
  const Socket file(open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  try {
    const holdfast::test::ZookeeperServer server;
    std::ofstream(argv[1]) << server.port() << "\n";
    std::cout << "ready" << std::endl;
    leave(STDOUT_FILENO);
    wait_until_unused(file);
    std::ofstream(argv[1]) << 0 << "\n";
  } catch (const std::exception& e) {
    std::cout << e.what() << std::endl;
    return 1;
  }
  return 0;
}
