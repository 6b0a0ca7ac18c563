// SPDX-License-Identifier: Apache-2.0

#include "say.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "exit_codes.h"
#include "json.h"
#include "secrets.h"

namespace holdfast::cli {
namespace {

OutputOptions& output() {
  static OutputOptions set;
  return set;
}

void write_all(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string as_json(const ErrorReport& report) {
  Json json;
  json.begin('{').key("error").value(report.error);
  json.key("resource");
  report.resource.empty() ? json.null() : json.raw(report.resource);
  json.key("message").value(redacted(report.message));
  json.key("hint");
  report.hint.empty() ? json.null() : json.value(redacted(report.hint));
  json.key("exit_code");
  report.exit_code ? json.value(*report.exit_code) : json.null();
  return json.end().text();
}

std::string as_text(const ErrorReport& report) {
  if (!report.on_terminal.empty() && isatty(STDERR_FILENO) == 1) {
    return report.on_terminal;
  }
  std::string text = std::string(report.program) + ": " + report.message + "\n";
  if (!report.hint.empty() && !output().quiet) text += report.hint + "\n";
  return text;
}

}  // namespace

void set_output(const OutputOptions& options) { output() = options; }

int fail(const ErrorReport& report) {
  static std::atomic<bool> said = false;
  const int code = report.exit_code.value_or(kInternal);
  if (output().quiet && report.expected) return code;
  if (output().json && said.exchange(true)) return code;
  write_all(STDERR_FILENO, redacted(output().json ? as_json(report) : as_text(report)));
  return code;
}

int fail(const Failure& why) {
  return fail({.error = error_word(why.code),
               .message = why.message(),
               .exit_code = exit_code_of(why.code),
               .expected = why.code == Errc::timed_out});
}

int negative(std::string_view error, std::string sentence) {
  return fail({.error = error,
               .message = std::move(sentence),
               .exit_code = kNothing,
               .expected = true});
}

int misused(std::string_view verb, std::string_view sentence) {
  const std::string command =
      verb.empty() ? "holdfast" : "holdfast " + std::string(verb);
  return fail({.error = "usage",
               .message = std::string(sentence),
               .exit_code = kUsage,
               .hint = "see " + command + " --help",
               .program = command});
}

void say(std::string_view line) {
  if (output().json) return;
  write_all(STDERR_FILENO, redacted("holdfast: " + std::string(line) + "\n"));
}

bool is_said(LogLevel level) {
  const OutputOptions& how = output();
  if (how.json || !how.least) return false;
  return level >= (how.quiet ? LogLevel::error : *how.least);
}

void log(LogLevel level, std::string_view line) {
  if (is_said(level)) say(line);
}

void print(std::string_view text) { write_all(STDOUT_FILENO, text); }

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace holdfast::cli
