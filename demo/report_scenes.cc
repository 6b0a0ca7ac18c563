// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "report.h"
#include "report_text.h"

namespace holdfast::demo {
namespace {

// This is the running program, and whether its bare name would start it.
struct Program {
  std::filesystem::path path;
  bool on_path = false;
};

Program this_program() {
  std::error_code error;
  Program program{std::filesystem::read_symlink("/proc/self/exe", error)};
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty() && !program.on_path) {
    const auto colon = rest.find(':');
    const auto found = std::filesystem::path(rest.substr(0, colon)) / "holdfast";
    if (access(found.c_str(), X_OK) == 0) {
      program.on_path = std::filesystem::equivalent(found, program.path, error);
      return program;
    }
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return program;
}

}  // namespace

void Narrator::begin_crash() {
  std::fprintf(out_, "%s\n", paint(kBold, "A shop is killed with the lock").c_str());
  std::fflush(out_);
}

void Narrator::end_crash(const CrashResult& r) {
  std::fprintf(
      out_,
      "  %d items. After %d sales one shop takes the lock, reads the stock and is\n"
      "  killed with -9 before it can write; all others are waiting.\n",
      r.stock, r.sold_before);
  if (r.resumed_ms < 0) {
    std::fprintf(out_, "  %s\n\n", paint(kRed, "No sale came after that.").c_str());
    return;
  }
  std::fprintf(out_, "  Next sale after %s ms. The other shops sold the last %d.\n",
               milliseconds(r.resumed_ms).c_str(), r.sold_after);
  const std::string end = r.exact() ? "Nothing lost, nothing sold twice."
                                    : format("%d left, %ld sold beyond the stock.",
                                             r.stock_left, r.oversold);
  std::fprintf(out_, "  %s\n\n", paint(r.exact() ? kGreen : kRed, end).c_str());
}

void Narrator::begin_pause() {
  std::fprintf(
      out_, "%s\n",
      paint(kBold, "A shop is stopped with the lock, and wakes too late").c_str());
  std::fflush(out_);
}

void Narrator::end_pause(const PauseResult& r) {
  if (!r.shown) {
    std::fprintf(
        out_,
        "  Not shown: this engine gives no tokens, so the stock could not tell\n"
        "  a late holder from the present one.\n\n");
    return;
  }
  std::fprintf(out_,
               "  It takes the lock with token %llu, reads the stock and is\n"
               "  stopped (SIGSTOP). Its lease ends, and %s ms after the stop another\n"
               "  has the lock, with token %llu, and sells one. The first goes\n"
               "  on, %s,\n  and writes.\n",
               static_cast<unsigned long long>(r.old_token),
               milliseconds(r.waited_ms).c_str(),
               static_cast<unsigned long long>(r.new_token),
               r.knew ? "does not ask whether its hold is still valid (it is not)"
                      : "takes itself for the holder");
  const std::string end = r.refused
                              ? "The stock has seen a greater token, and refuses it."
                              : "The stock took it: a sale is lost.";
  std::fprintf(out_, "  %s\n\n", paint(r.refused ? kGreen : kRed, end).c_str());
}

// The lines can be pasted as they are.
void Narrator::closing() {
  const Program program = this_program();
  std::fprintf(out_, "%s\n", paint(kBold, "What to try next:").c_str());
  if (!program.on_path) {
    std::fprintf(out_, "  export PATH=\"%s:$PATH\"  # or ./dev install\n",
                 program.path.parent_path().c_str());
  }
  std::fprintf(out_,
               "  holdfast run my-job -- sleep 60 &  # guard any command; then:\n"
               "  holdfast show my-job               # who holds it, and who waits\n"
               "The same in your own code: examples/scoped_lock.cc\n"
               "The same sale by services behind nginx, and more locks: ./dev shop\n");
}

}  // namespace holdfast::demo
