// SPDX-License-Identifier: Apache-2.0

#include "stores/zookeeper.h"

#include <chrono>
#include <future>
#include <thread>

#include "stores/stock.h"

namespace holdfast::shop {
namespace {

constexpr std::chrono::seconds kConnecting{30};

void check(int code, const std::string& what) {
  if (code != ZOK) throw StoreError("ZooKeeper: " + what + ": " + zerror(code));
}

void ignore_event(zhandle_t*, int, int, const char*, void*) {}

// The context is a promise that lives until the node changes. News of the session also
// come here, any number of times.
void on_change(zhandle_t*, int type, int, const char*, void* context) {
  if (type == ZOO_SESSION_EVENT) return;
  const std::unique_ptr<std::promise<void>> changed(
      static_cast<std::promise<void>*>(context));
  changed->set_value();
}

}  // namespace

Zookeeper::Zookeeper(std::uint16_t port, std::string root,
                     std::chrono::milliseconds session)
    : root_(std::move(root)) {
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  handle_.reset(zookeeper_init(("127.0.0.1:" + std::to_string(port)).c_str(),
                               ignore_event, static_cast<int>(session.count()), nullptr,
                               nullptr, 0));
  const auto end = std::chrono::steady_clock::now() + kConnecting;
  while (!handle_ || zoo_state(handle_.get()) != ZOO_CONNECTED_STATE) {
    if (!handle_ || std::chrono::steady_clock::now() > end) {
      throw StoreError("ZooKeeper: no connection");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const int made = zoo_create(handle_.get(), root_.c_str(), nullptr, -1,
                              &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0);
  if (made != ZNODEEXISTS) check(made, root_);
}

bool Zookeeper::create(const std::string& path) {
  const int code = zoo_create(handle_.get(), path.c_str(), nullptr, -1,
                              &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0);
  if (code == ZNODEEXISTS) return false;
  check(code, path);
  return true;
}

std::string Zookeeper::create_next(const std::string& path) {
  std::string made(path.size() + 16, '\0');
  check(zoo_create(handle_.get(), path.c_str(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE,
                   ZOO_EPHEMERAL | ZOO_SEQUENCE, made.data(),
                   static_cast<int>(made.size())),
        path);
  return made.c_str();  // up to its end
}

void Zookeeper::remove(const std::string& path) {
  const int code = zoo_delete(handle_.get(), path.c_str(), -1);
  if (code != ZNONODE) check(code, path);
}

std::vector<std::string> Zookeeper::children() {
  String_vector found{};
  check(zoo_get_children(handle_.get(), root_.c_str(), 0, &found), root_);
  std::vector<std::string> names(found.data, found.data + found.count);
  deallocate_String_vector(&found);
  return names;
}

void Zookeeper::await_change(const std::string& path) {
  auto changed = std::make_unique<std::promise<void>>();
  std::future<void> change = changed->get_future();
  char nothing = 0;
  int size = sizeof nothing;
  // zoo_wexists would leave a watch on a node that is not there.
  const int code = zoo_wget(handle_.get(), path.c_str(), on_change, changed.get(),
                            &nothing, &size, nullptr);
  if (code == ZNONODE) return;
  check(code, path);
  (void)changed.release();  // on_change deletes it
  change.wait();
}

}  // namespace holdfast::shop
