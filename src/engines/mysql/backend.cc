// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/backend.h"

#include <algorithm>
#include <utility>

#include "engines/mysql/schema.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstCall = 10s;
constexpr auto kUntilBellConnectionIsFree = 20ms;

std::chrono::seconds idle_for(std::chrono::milliseconds ttl) {
  return std::clamp(std::chrono::ceil<std::chrono::seconds>(ttl) + 1s,
                    std::chrono::seconds(2), std::chrono::seconds(24h));
}

}  // namespace

Backend::Backend(const Options& options, const engine::SessionOptions& session)
    : holder_(HolderColumns::of(session.payload)),
      names_(session.client, options.database),
      ttl_(std::min<std::chrono::microseconds>(session.ttl, kLongestLease)),
      keepalive_interval_(std::min<std::chrono::milliseconds>(
          std::chrono::milliseconds(idle_for(session.ttl)) / 3, 3s)),
      pool_(options, idle_for(session.ttl)),
      bell_threads_(pool_),
      poller_(pool_),
      hold_monitor_(pool_, session.alarm) {}

Backend::~Backend() { pool_.close(); }

Result<std::shared_ptr<Backend>> Backend::open(const Options& options,
                                               const engine::SessionOptions& session) {
  std::shared_ptr<Backend> backend(new Backend(options, session));
  const auto until = Clock::now() + kFirstCall;
  auto server = read_server_info(backend->pool_, until);
  if (!server) return std::move(server).error();
  backend->server_ = *std::move(server);
  if (options.mode == LockMethod::getlock) return backend;
  auto ready = ensure_tables(backend->pool_, until);
  if (!ready) return std::move(ready).error();
  return backend;
}

Result<Answer> Backend::run(const Sql& sql, const Args& args, engine::Deadline until,
                            const std::shared_ptr<Connection>& on) {
  if (on != nullptr && !on->is_cut()) {
    auto that = pool_.lend(on, until);
    if (that) return (*that)->run(sql, args, until);
    if (!on->is_cut()) return std::move(that).error();
  }
  auto any = pool_.lend(until);
  if (!any) return std::move(any).error();
  return (*any)->run(sql, args, until);
}

Result<Answer> Backend::renew(const Sql& sql, const Args& args, engine::Deadline until,
                              const std::shared_ptr<Connection>& on) {
  if (on != nullptr && !on->is_cut()) {
    auto that =
        pool_.lend(on, std::min(until, Clock::now() + kUntilBellConnectionIsFree));
    if (that) return (*that)->try_to_run(sql, args, until);
  }
  auto any = pool_.lend_to_renew(until);
  if (!any) return std::move(any).error();
  return (*any)->try_to_run(sql, args, until);
}

}  // namespace holdfast::mysql
