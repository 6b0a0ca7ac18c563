// SPDX-License-Identifier: Apache-2.0

#include "support/victim.h"

#include <stdexcept>
#include <vector>

namespace holdfast::test {

Victim::Victim() : process_({HOLDFAST_VICTIM}) {}

std::optional<Victim> Victim::in(Surroundings which, const std::string& commands) {
  std::vector<std::string> line;
  if (which == Surroundings::mounts) {
    line = {"unshare", "--mount", "--propagation", "private"};
  }
  line.insert(line.end(), {"/bin/sh", "-c", commands + " && echo ready && exec \"$0\"",
                           HOLDFAST_VICTIM});
  Victim victim{Process(line)};
  if (victim.answer() != "ready") return std::nullopt;
  return victim;
}

Victim::Victim(const std::string& url, std::chrono::milliseconds ttl) : Victim() {
  const std::string opened = ask("open " + url + " " + std::to_string(ttl.count()));
  if (opened != "ok") throw std::runtime_error("victim: open " + url + ": " + opened);
}

std::string Victim::ask(std::string_view command, std::chrono::milliseconds limit) {
  tell(command);
  return answer(limit);
}

std::string Victim::answer(std::chrono::milliseconds limit) {
  return process_.read_line(limit).value_or("");
}

void Victim::kill() {
  process_.signal(SIGKILL);
  if (!process_.wait()) throw std::runtime_error("victim: does not die");
}

void Victim::stop() { process_.pause(); }

bool is_error(std::string_view answer, Errc why) {
  return answer.starts_with("error " + std::to_string(static_cast<int>(why)) + " ");
}

}  // namespace holdfast::test
