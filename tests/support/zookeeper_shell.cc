// SPDX-License-Identifier: Apache-2.0

#include "support/zookeeper_shell.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "support/eventually.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

void require_ok(int rc, const std::string& what) {
  if (rc != ZOK) throw std::runtime_error(what + ": " + zerror(rc));
}

// Connects in a new session, or in the session `as` of another client. Returns null if
// that session is over.
zhandle_t* connect(std::uint16_t port, const clientid_t* as = nullptr) {
  // Errors are returned to the caller.
  zoo_set_debug_level(static_cast<ZooLogLevel>(0));
  const std::string host = "127.0.0.1:" + std::to_string(port);
  zhandle_t* const handle = zookeeper_init(
      host.c_str(), nullptr, static_cast<int>(scaled(10s).count()), as, nullptr, 0);
  if (handle == nullptr) throw std::runtime_error("no handle for " + host);
  int state = 0;
  const bool answered = eventually([&] {
    state = zoo_state(handle);
    return state == ZOO_CONNECTED_STATE || state == ZOO_EXPIRED_SESSION_STATE;
  });
  if (state == ZOO_CONNECTED_STATE) return handle;
  zookeeper_close(handle);
  if (!answered) throw std::runtime_error("no ZooKeeper lets us in at " + host);
  return nullptr;
}

// A server derives the password of a session from its id: the first 16 bytes of Java's
// random numbers, seeded with the id and a constant.
void spell_password(std::int64_t id, char (&out)[16]) {
  constexpr std::uint64_t kFactor = 0x5DEECE66D;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t state =
      ((static_cast<std::uint64_t>(id) ^ 0xB3415C00) ^ kFactor) & kMask;
  for (std::size_t i = 0; i < sizeof out; i += 4) {
    state = (state * kFactor + 0xB) & kMask;
    const auto number = static_cast<std::uint32_t>(state >> 16);
    for (std::size_t k = 0; k < 4; ++k) {
      out[i + k] = static_cast<char>(number >> (8 * k));
    }
  }
}

}  // namespace

ZookeeperShell::ZookeeperShell(std::uint16_t port)
    : port_(port), handle_(connect(port)) {}

ZookeeperShell::~ZookeeperShell() { zookeeper_close(handle_); }

void ZookeeperShell::sign_on(const std::string& user, const std::string& password) {
  const std::string both = user + ":" + password;
  require_ok(zoo_add_auth(handle_, "digest", both.data(), static_cast<int>(both.size()),
                          nullptr, nullptr),
             "auth");
}

std::string ZookeeperShell::create(const std::string& path, const std::string& data,
                                   int mode) {
  std::string made(path.size() + 16, '\0');
  require_ok(zoo_create(handle_, path.c_str(), data.data(),
                        static_cast<int>(data.size()), &ZOO_OPEN_ACL_UNSAFE, mode,
                        made.data(), static_cast<int>(made.size())),
             "create " + path);
  return made.c_str();
}

std::string ZookeeperShell::get(const std::string& path) {
  std::string data(1 << 20, '\0');
  int size = static_cast<int>(data.size());
  require_ok(zoo_get(handle_, path.c_str(), 0, data.data(), &size, nullptr),
             "get " + path);
  data.resize(static_cast<std::size_t>(std::max(size, 0)));
  return data;
}

Stat ZookeeperShell::stat(const std::string& path) {
  Stat result{};
  require_ok(zoo_exists(handle_, path.c_str(), 0, &result), "stat " + path);
  return result;
}

bool ZookeeperShell::exists(const std::string& path) {
  const int rc = zoo_exists(handle_, path.c_str(), 0, nullptr);
  if (rc != ZNONODE) require_ok(rc, "exists " + path);
  return rc == ZOK;
}

void ZookeeperShell::set(const std::string& path, const std::string& data) {
  require_ok(
      zoo_set(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), -1),
      "set " + path);
}

std::vector<std::string> ZookeeperShell::children(const std::string& path) {
  String_vector names{};
  require_ok(zoo_get_children(handle_, path.c_str(), 0, &names), "children " + path);
  std::vector<std::string> result(names.data, names.data + names.count);
  deallocate_String_vector(&names);
  std::ranges::sort(result);
  return result;
}

void ZookeeperShell::remove(const std::string& path) {
  require_ok(zoo_delete(handle_, path.c_str(), -1), "remove " + path);
}

std::string ZookeeperShell::rights(const std::string& path) {
  ACL_vector rights{};
  Stat ignored{};
  require_ok(zoo_get_acl(handle_, path.c_str(), &rights, &ignored), "rights " + path);
  std::string result;
  for (int i = 0; i < rights.count; ++i) {
    const ACL& each = rights.data[i];
    result += (i == 0 ? "" : "\n") + std::string(each.id.scheme) + ":" + each.id.id +
              " " + std::to_string(each.perms);
  }
  deallocate_ACL_vector(&rights);
  return result;
}

std::int64_t ZookeeperShell::session() const {
  return zoo_client_id(handle_)->client_id;
}

void ZookeeperShell::expire(std::int64_t session) const {
  clientid_t id{};
  id.client_id = session;
  spell_password(session, id.passwd);
  // Its client may have been faster, and taken it back.
  while (zhandle_t* const taken = connect(port_, &id)) zookeeper_close(taken);
}

}  // namespace holdfast::test
