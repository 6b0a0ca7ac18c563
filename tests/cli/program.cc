// SPDX-License-Identifier: Apache-2.0

#include "cli/program.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "support/eventually.h"
#include "support/scale.h"

namespace holdfast::test {

Outcome Program::operator()(const std::vector<std::string>& args,
                            const std::string& input) const {
  Process process = start(args);
  if (!input.empty()) process.write_line(input);
  process.close_stdin();
  Outcome outcome;
  while (const auto line = process.read_line()) outcome.out += *line + "\n";
  outcome.code = process.wait().value_or(-1);
  outcome.err = contents(err_file());
  return outcome;
}

Process Program::start(const std::vector<std::string>& args) const {
  std::vector<std::string> command{"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>$ERR",
                                   HOLDFAST_PROGRAM};
  command.insert(command.end(), args.begin(), args.end());
  std::vector<std::string> environment = environment_;
  const auto is_err = [](const auto& each) { return each.starts_with("ERR="); };
  if (std::none_of(environment.begin(), environment.end(), is_err)) {
    environment.push_back("ERR=" + err_file());
  }
  return Process(command, environment);
}

Process Program::hold(const std::string& name, const std::string& script,
                      const std::vector<std::string>& flags) const {
  std::vector<std::string> args{"run"};
  args.insert(args.end(), flags.begin(), flags.end());
  args.insert(args.end(), {name, "--", "/bin/sh", "-c", script});
  Process process = start(args);
  if (!process.read_line()) throw std::runtime_error(contents(err_file()));
  return process;
}

void Program::set(const std::string& variable) {
  const std::string name = variable.substr(0, variable.find('=') + 1);
  std::erase_if(environment_, [&](const auto& each) { return each.starts_with(name); });
  environment_.push_back(variable);
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_alive(pid_t pid) {
  const std::string stat = contents("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z' &&
         stat[name_end + 2] != 'X';
}

std::vector<pid_t> children_of(pid_t pid) {
  const std::string id = std::to_string(pid);
  std::istringstream list(contents("/proc/" + id + "/task/" + id + "/children"));
  return {std::istream_iterator<pid_t>(list), {}};
}

bool waits(const Program& holdfast, const std::string& name, int count) {
  const std::string place = "#" + std::to_string(count) + " ";
  return eventually([&] {
    return holdfast({"show", name}).out.find(place) != std::string::npos;
  });
}

bool takes(pid_t pid, int signal) {
  return eventually([&] {
    const std::string status = contents("/proc/" + std::to_string(pid) + "/status");
    const auto blocked = status.find("SigBlk:");
    if (blocked == std::string::npos) return false;
    const auto bits = std::stoull(status.substr(blocked + 7), nullptr, 16);
    return (bits >> (signal - 1) & 1) != 0;
  });
}

std::string stretched(std::chrono::milliseconds plain) {
  return std::to_string(scaled(plain).count()) + "ms";
}

}  // namespace holdfast::test
