// SPDX-License-Identifier: Apache-2.0

#include "run/startup.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "holdfast/client_options.h"
#include "holdfast/engine/session.h"
#include "holdfast/holder.h"
#include "run/supervisor.h"
#include "run/tree.h"
#include "say.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMostPayload = 200;
constexpr std::size_t kMostBesideADescription = 120;

std::string identity(const RunOptions& options) {
  if (!options.payload.empty()) return options.payload;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string text = std::string(host.data()) + ":" + std::to_string(getpid()) + ":";
  text += shell_word(options.command.front());
  for (std::size_t i = 1; options.show_command && i < options.command.size(); ++i) {
    text += " " + shell_word(options.command[i]);
  }
  return printable(text).substr(0, kMostPayload);
}

}  // namespace

Startup::Startup(const RunOptions& options)
    : options_(options),
      spared_(children()),
      inherited_(take_over_signals(passed_on_)),
      signals_(require(signalfd(-1, &passed_on_, SFD_CLOEXEC), "listen for signals")),
      watchdog_(options, inherited_) {
  become_reaper();
}

// The description needs its room, so the command is cut for it.
std::string Startup::payload() const {
  if (options_.description.empty()) return identity(options_);
  Holder holder;
  holder.text = identity(options_).substr(0, kMostBesideADescription);
  holder.description = options_.description;
  return write_holder(holder);
}

Result<Client> Startup::open_client() const {
  ClientOptions client;
  client.payload = payload();
  // Where claims depend on the session, --ttl is the session's.
  if (options_.lease.renewed && options_.lease.ttl.count() > 0) {
    client.ttl = options_.lease.ttl;
  }
  return cli::open_client(options_.common, std::move(client));
}

int Startup::run(RunHold& held, const Client& client) {
  Supervisor supervisor(options_, watchdog_, held, signals(), spared_);
  const std::string engine = options_.common.engine();
  const int liveness_fd = client.session().liveness_fd();
  // Without it the lock could be granted to another client while the command runs.
  if (liveness_fd < 0 && engine == "local") {
    throw std::runtime_error(
        "cannot guard the command: its lock cannot be handed to it; allow more "
        "descriptors with ulimit -n");
  }
  return supervisor.run(engine, liveness_fd);
}

}  // namespace holdfast::cli
