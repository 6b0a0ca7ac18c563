// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/errors.h"

#include <zookeeper/zookeeper.h>

namespace holdfast::zookeeper {

bool is_lost(int code) noexcept {
  return code == ZCONNECTIONLOSS || code == ZOPERATIONTIMEOUT || code == ZCLOSING ||
         code == ZSESSIONEXPIRED || code == ZSESSIONMOVED || code == ZINVALIDSTATE;
}

Reach reach_of(Request request, int code) noexcept {
  switch (code) {
    case ZOK:
    case ZNONODE:
    case ZNODEEXISTS:
    case ZBADVERSION:
    case ZNOTEMPTY:
      return request == Request::read ? Reach::server : Reach::majority;
    case ZNOAUTH:
      return request == Request::transaction ? Reach::majority : Reach::server;
    default:
      return Reach::nowhere;  // nothing is known
  }
}

Failure failure_of(int code, const std::string& doing) {
  if (code == ZNOAUTH || code == ZAUTHFAILED) {
    return {Errc::denied, "ZooKeeper did not allow us to " + doing +
                              ": give the user of the URL that right"};
  }
  const std::string why = "ZooKeeper could not " + doing + " (" + zerror(code) + "): ";
  if (code == ZTHROTTLEDOP) {
    return {Errc::unavailable, why + "it has too much to do, so try again later"};
  }
  if (is_lost(code)) {
    return {Errc::outcome_unknown, why + "check that it runs and can be reached"};
  }
  return {Errc::incompatible, why + "see the log of the server"};
}

Result<bool> is_there(int code, std::string_view doing, const std::string& path) {
  if (code == ZOK || code == ZNONODE) return code == ZOK;
  return failure_of(code, std::string(doing).append(" ").append(path));
}

bool must_be_repeated(int code) noexcept {
  return code == ZCONNECTIONLOSS || code == ZOPERATIONTIMEOUT || code == ZTHROTTLEDOP;
}

Failure used_by_kazoo(const std::string& path) {
  return {Errc::wrong_kind, path +
                                " is locked by kazoo, whose locks wait for no others: "
                                "use another path, or Curator's recipes on both sides"};
}

}  // namespace holdfast::zookeeper
