// SPDX-License-Identifier: Apache-2.0

// tests/support/victim_main.cc - the program behind victim.h, which lists its commands.

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>

#include "conformance/claim_lock.h"
#include "holdfast/client_options.h"
#include "holdfast/mutex.h"
#include "support/victim_blocking_primitive.h"
#include "support/victim_primitives.h"
#include "support/victim_work.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

class Program {
 public:
  std::string obey(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    const auto found = commands_.find(verb);
    if (found == commands_.end()) return "what? " + line;
    try {
      const std::string said = found->second(words);
      return said.empty() ? "ok" : "ok " + said;
    } catch (const Error& error) {
      return "error " + std::to_string(error.code().value()) + " " +
             error.failure().message();
    }
  }

 private:
  std::string open(std::istream& words) {
    std::string url;
    long ttl = 0;
    ClientOptions options;
    options.log = [](LogLevel, std::string_view) {};
    if (words >> url >> ttl) options.ttl = milliseconds(ttl);
    client_.emplace(Client::open(url, options).value());
    return {};
  }

  std::string acquire(std::istream& words, Timeout wait) {
    std::string name;
    long fixed = 0;
    words >> name >> fixed;
    const LeaseOptions lease =
        fixed > 0 ? LeaseOptions::fixed(milliseconds(fixed)) : LeaseOptions{};
    mutex_ = std::make_unique<Mutex>(client_.value(), name, lease);
    hold_.emplace(mutex_->acquire({.wait = wait}).value());
    return {};
  }

  std::string claim(std::istream& words) {
    static const std::map<std::string, engine::Kind> kinds{
        {"shared_mutex", engine::Kind::shared_mutex},
        {"semaphore", engine::Kind::semaphore},
        {"double_barrier", engine::Kind::double_barrier},
    };
    std::string kind;
    std::string name;
    std::string mode;
    engine::Claim like;
    words >> kind >> name >> mode >> like.permits >> like.capacity;
    if (mode == "shared") like.mode = engine::Mode::shared;
    claim_ = std::make_unique<ClaimLock>(client_.value(),
                                         engine::Address{kinds.at(kind), name}, like);
    claim_->acquire().value();
    return {};
  }

  std::string drop(std::istream&) {
    claim_->release().value();
    return {};
  }

  std::string use(std::istream& words) {
    primitive_.clear();
    primitive_ = make_primitive(client_.value(), words);
    return {};
  }

  std::string unlock(std::istream&) {
    const auto released = hold_->release();
    hold_.reset();
    released.value();
    return {};
  }

  std::string await_loss(std::istream&) {
    std::mutex guard;
    std::condition_variable rung;
    bool lost = false;
    std::stop_callback on_loss(hold_->lost(), [&] {
      std::scoped_lock lock(guard);
      lost = true;
      rung.notify_one();
    });
    std::unique_lock lock(guard);
    rung.wait(lock, [&] { return lost; });
    return {};
  }

  std::string start_child(std::istream&) {
    char program[] = "sleep";
    char time[] = "60";
    char* const command[] = {program, time, nullptr};
    constexpr int kAnywhere = 100;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, client_->session().liveness_fd(),
                                     kAnywhere);
    posix_spawn_file_actions_addclose(&actions, STDOUT_FILENO);
    pid_t pid = 0;
    const int why = posix_spawnp(&pid, program, &actions, nullptr, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (why != 0) throw Error(Failure(Errc::internal, std::strerror(why)));
    return std::to_string(pid);
  }

  static std::string exec_another(std::istream&) {
    execlp("sleep", "sleep", "60", nullptr);
    throw Error(Failure(Errc::internal, std::strerror(errno)));
  }

  static std::string fill(std::istream& words) {
    std::size_t megabytes = 0;
    words >> megabytes;
    const std::size_t bytes = megabytes << 20;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Error(Failure(Errc::full, std::strerror(errno)));
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    std::memset(memory, 1, bytes);
    return {};
  }

  std::string fork_child(std::istream& words) {
    std::string way;
    words >> way;
    const pid_t child =
        way == "clone"   ? static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
        : way == "_Fork" ? _Fork()
                         : fork();
    if (child == 0) _exit(child_faults());
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) return "the child died";
    const int faults = WEXITSTATUS(status);
    return faults == 0 ? "void" : "faults " + std::to_string(faults);
  }

  // Returns a bit for each behaviour that differs from holdfast/hold.h and
  // holdfast/client.h.
  int child_faults() {
    int faults = 0;
    if (hold_->valid()) faults |= 1;
    if (!hold_->lost().stop_requested()) faults |= 2;
    const auto another = mutex_->acquire({.wait = Timeout::zero()});
    if (another.has_value() || another.error().code != Errc::forked) faults |= 4;
    if (hold_->release().has_value()) faults |= 8;
    hold_.reset();
    mutex_.reset();
    client_.reset();
    return faults;
  }

  std::optional<Client> client_;
  std::unique_ptr<Mutex> mutex_;
  std::optional<Hold> hold_;
  std::unique_ptr<ClaimLock> claim_;
  VictimBlockingPrimitive blocking_;
  Operations primitive_;

  const std::map<std::string, std::function<std::string(std::istream&)>> commands_{
      {"open", [this](auto& in) { return open(in); }},
      {"lock", [this](auto& in) { return acquire(in, Timeout::forever()); }},
      {"try", [this](auto& in) { return acquire(in, Timeout::zero()); }},
      {"claim", [this](auto& in) { return claim(in); }},
      {"drop", [this](auto& in) { return drop(in); }},
      {"blocking", [this](auto& in) { return blocking_.make(client_.value(), in); }},
      {"block", [this](auto&) { return blocking_.block(); }},
      {"wait", [this](auto& in) { return blocking_.wait(in); }},
      {"unblock", [this](auto&) { return blocking_.unblock(); }},
      {"use", [this](auto& in) { return use(in); }},
      {"do", [this](auto& in) { return perform(primitive_, in); }},
      {"intact", [this](auto&) { return blocking_.intact(); }},
      {"unlock", [this](auto& in) { return unlock(in); }},
      {"token", [this](auto&) { return std::to_string(hold_->token().value); }},
      {"valid", [this](auto&) { return std::string(hold_->valid() ? "yes" : "no"); }},
      {"lost", [this](auto& in) { return await_loss(in); }},
      {"spawn", [this](auto& in) { return start_child(in); }},
      {"fork", [this](auto& in) { return fork_child(in); }},
      {"exec", [](auto& in) { return exec_another(in); }},
      {"fill", [](auto& in) { return fill(in); }},
      {"count", [this](auto& in) { return count(client_.value(), in); }},
      {"storm", [this](auto& in) { return storm(client_.value(), in); }},
      {"children", [this](auto& in) { return children(client_.value(), in); }},
      {"names", [this](auto& in) { return names(client_.value(), in); }},
  };
};

}  // namespace
}  // namespace holdfast::test

int main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // A killed test leaves no process behind.
  holdfast::test::Program program;
  std::string line;
  while (std::getline(std::cin, line)) std::cout << program.obey(line) << std::endl;
}
