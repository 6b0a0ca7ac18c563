// SPDX-License-Identifier: Apache-2.0

#include "redis/bare.h"

#include <mutex>
#include <stdexcept>
#include <vector>

#include "holdfast/holdfast.h"
#include "redis/monitor.h"

namespace holdfast::bench::redis {
namespace {

Command renamed(Command command, const std::string& from, const std::string& to) {
  for (std::string& word : command) {
    const std::size_t at = word.find(from);
    if (at != word.npos) word.replace(at, from.size(), to);
  }
  return command;
}

}  // namespace

Pair captured(const Server& server, const std::string& name) {
  Mutex mutex(open_client(), name);
  mutex.lock();  // The first lock sends the scripts in full.
  mutex.unlock();
  Monitor monitor(server.port());
  mutex.lock();
  mutex.unlock();
  const std::vector<Command> seen = monitor.seen();
  if (seen.size() != 2)
    throw std::runtime_error("lock and unlock are not two commands");
  return {seen[0], seen[1]};
}

Pair renamed(const Pair& pair, const std::string& from, const std::string& to) {
  return {renamed(pair.lock, from, to), renamed(pair.unlock, from, to)};
}

}  // namespace holdfast::bench::redis
