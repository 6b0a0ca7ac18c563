// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/servers.h - where the commands of a session go: to the one
// server of its URL, or to the servers of a cluster.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/redis/options.h"
#include "engines/redis/transport/pub_sub.h"
#include "engines/redis/transport/requests.h"
#include "engines/redis/transport/slot.h"
#include "holdfast/engine/claim.h"

namespace holdfast::redis {

// The class is safe for concurrent use.
class Servers {
 public:
  // A Primary is a server that has slots. It lives as long as the Servers.
  struct Primary {
    const Endpoint* endpoint;
    Requests* requests;
    Slot slot;  // one of its slots
  };

  // A KnownServer is what the others say of a server, even if no connection leads to
  // it.
  struct KnownServer {
    std::string where;  // such as "10.0.0.1:6379"
    std::string asked;  // what ServerInfo::where calls it
    std::string role;   // such as "primary" or "replica of 10.0.0.1:6379"
    std::string slots;  // such as "0-5460"; empty means that it has none, or all
  };

  virtual ~Servers() = default;

  // Waits until it is known where the slots are. A failure says why it is not.
  virtual Result<void> open(engine::Deadline until) = 0;

  // Sends commands whose keys belong to the slot, as Requests::call does. In a cluster,
  // a reply that says that the slot is elsewhere is followed and never returned; all
  // commands are then sent anew, so the first of them must be the one that is
  // redirected.
  virtual Result<void> call(Slot slot, std::string_view commands,
                            std::span<Reply> replies, engine::Deadline until) = 0;
  Result<Reply> call(Slot slot, std::string_view command, engine::Deadline until) {
    Reply reply;
    auto done = call(slot, command, std::span(&reply, 1), until);
    if (!done) return std::move(done).error();
    return reply;
  }

  // Sends a command as Requests::send does. Where a reply may have to be followed,
  // nothing is sent.
  virtual std::unique_ptr<Requests::Sent> send(Slot, std::string&& /*command*/) {
    return nullptr;
  }

  // Returns the server that has the slot, for calls of several slots in one write. A
  // reply may then say that a slot is elsewhere, and `call` follows it.
  virtual Result<Requests*> requests_for(Slot slot, engine::Deadline until) = 0;

  // Sends a command of this slot as Requests::post does. The reply may say that the
  // slot is elsewhere. Returns false also if it is not known which server has the slot.
  bool post(Slot slot, Posting& posting, engine::Deadline until) {
    const auto requests = requests_for(slot, engine::Deadline::min());
    return requests && (*requests)->post(posting, until);
  }

  virtual std::vector<Primary> primaries() = 0;

  // Returns the name of the server that has the slot and so answered last.
  virtual ServerName name_of(Slot slot) const = 0;

  // Returns how many replicas the server that has the slot should have, with those that
  // are down; nothing means that it is only known what INFO said at the beginning.
  virtual std::optional<int> replicas(Slot) const { return std::nullopt; }

  // Lists all servers that are known by now, the primaries first.
  virtual std::vector<KnownServer> known_servers() const = 0;

  virtual Channels& channels() noexcept = 0;
};

// OneServer has every slot.
class OneServer final : public Servers {
 public:
  // `reconnected` is explained at Requests.
  OneServer(const Endpoint& endpoint, std::function<void()> reconnected,
            const RetryPolicy& retry)
      : endpoint_(endpoint),
        pub_sub_(endpoint, retry),
        requests_(
            endpoint, std::move(reconnected), [this] { pub_sub_.reconnect(); }, retry) {
  }

  using Servers::call;
  Result<void> open(engine::Deadline) override { return {}; }
  Result<void> call(Slot, std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until) override {
    return requests_.call(commands, replies, until);
  }
  std::unique_ptr<Requests::Sent> send(Slot, std::string&& command) override {
    return requests_.send(std::move(command));
  }
  Result<Requests*> requests_for(Slot, engine::Deadline) override { return &requests_; }
  std::vector<Primary> primaries() override { return {{&endpoint_, &requests_, 0}}; }
  ServerName name_of(Slot) const override { return endpoint_.name(); }
  std::vector<KnownServer> known_servers() const override {
    return {{endpoint_.spelt(), endpoint_.spelt(), "primary", {}}};
  }
  Channels& channels() noexcept override { return pub_sub_; }

 private:
  const Endpoint endpoint_;
  PubSub pub_sub_;
  Requests requests_;  // Its reader calls `pub_sub_`, so it ends first.
};

}  // namespace holdfast::redis
