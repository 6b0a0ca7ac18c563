// SPDX-License-Identifier: Apache-2.0

#include "run/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "run/descriptor.h"

namespace holdfast::cli {

// The parent is read from /proc/PID/stat, behind the program's name, which may hold any
// character.
std::optional<pid_t> parent_of(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> buffer{};
  const ssize_t size = read(file.get(), buffer.data(), buffer.size());
  if (size <= 0) return std::nullopt;
  std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  const auto name_end = text.rfind(") ");
  if (name_end == std::string_view::npos || text.size() < name_end + 5) {
    return std::nullopt;
  }
  const char state = text[name_end + 2];
  if (state == 'Z' || state == 'X') return std::nullopt;
  text.remove_prefix(name_end + 4);
  pid_t parent = 0;
  const auto read_parent =
      std::from_chars(text.data(), text.data() + text.size(), parent);
  if (read_parent.ec != std::errc()) return std::nullopt;
  return parent;
}

namespace {

struct Process {
  pid_t pid;
  pid_t parent;
};

std::vector<Process> all_processes() {
  std::vector<Process> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (proc == nullptr) return found;
  while (const dirent* each = readdir(proc.get())) {
    const std::string_view name(each->d_name);
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
    if (const auto parent = parent_of(pid)) found.push_back({pid, *parent});
  }
  return found;
}

bool contains(const std::vector<pid_t>& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

std::vector<Process> descendants(const std::vector<pid_t>& spared) {
  const std::vector<Process> all = all_processes();
  std::vector<Process> tree;
  std::vector<pid_t> parents{getpid()};
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const Process& each : all) {
      if (each.parent != parents[i] || contains(spared, each.pid)) continue;
      tree.push_back(each);
      parents.push_back(each.pid);
    }
  }
  return tree;
}

// A pidfd names one process for good. It is the process that was seen if its parent
// still is the same, or if it has become our child since.
void signal_one(const Process& process, int number) {
  const Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  if (!pidfd) return;
  const auto parent = parent_of(process.pid);
  if (!parent || (*parent != process.parent && *parent != getpid())) return;
  syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0);
}

}  // namespace

void become_reaper() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> children() {
  std::vector<pid_t> own;
  // Some kernels do not have this file.
  std::ifstream list("/proc/thread-self/children");
  if (list) {
    for (pid_t pid; list >> pid;) own.push_back(pid);
    return own;
  }
  for (const Process& each : all_processes()) {
    if (each.parent == getpid()) own.push_back(each.pid);
  }
  return own;
}

bool signal_tree(int number, const std::vector<pid_t>& spared) {
  for (const Process& each : descendants(spared)) signal_one(each, number);
  return parent_of(getpid()).has_value();
}

void kill_tree(const Reaped& reaped, const std::vector<pid_t>& spared) {
  constexpr useconds_t kShortest = 1000;
  constexpr useconds_t kLongest = 100'000;
  int quiet = 0;
  useconds_t pause = kShortest;
  std::size_t before = 0;
  while (quiet < 2) {
    const std::vector<Process> tree = descendants(spared);
    for (const Process& each : tree) signal_one(each, SIGKILL);
    if (!reap(reaped)) return;
    // A parent that dies during the scan hides its children from it, so two scans are
    // needed.
    quiet = tree.empty() && !spared.empty() ? quiet + 1 : 0;
    // A process that the kernel cannot end yet, as in a write to a disk that hangs, may
    // take long, and each scan walks through all processes.
    pause = tree.size() == before ? std::min(2 * pause, kLongest) : kShortest;
    before = tree.size();
    usleep(pause);
  }
}

bool reap(const Reaped& reaped) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0 && errno == ECHILD) return false;
    if (pid > 0 && reaped) reaped(pid, status);
  }
}

}  // namespace holdfast::cli
