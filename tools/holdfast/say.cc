
#include "say.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "exit_codes.h"

namespace holdfast::cli {
namespace {

std::vector<std::string>& secrets() {
  static std::vector<std::string> kept;
  return kept;
}

std::string_view password_in(std::string_view url) {
  const auto slashes = url.find("://");
  if (slashes != std::string_view::npos) url.remove_prefix(slashes + 3);
  const auto at = url.rfind('@');
  if (at == std::string_view::npos) return {};
  const std::string_view user = url.substr(0, at);
  const auto colon = user.find(':');
  return colon == std::string_view::npos ? std::string_view() : user.substr(colon + 1);
}

// Only where a URL has its password. Anywhere else the same characters are an answer,
// and stars in it would tell where the password's characters are.
std::string redacted(std::string_view text) {
  std::string out(text);
  for (const std::string& secret : secrets()) {
    const std::string in_url = ":" + secret + "@";
    for (auto at = out.find(in_url); at != std::string::npos;
         at = out.find(in_url, at)) {
      out.replace(at, in_url.size(), ":***@");
      at += 5;
    }
  }
  return out;
}

void write_all(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

bool keep_secret(std::string_view url) {
  const std::string_view password = password_in(url);
  if (!password.empty()) secrets().emplace_back(password);
  return !password.empty();
}

void cover_up(char* argument) {
  const std::string_view whole(argument);
  const std::string_view password = password_in(whole);
  if (whole.find("://") == std::string_view::npos || password.empty()) return;
  std::fill_n(argument + (password.data() - whole.data()), password.size(), '*');
}

void say(std::string_view line) {
  write_all(STDERR_FILENO, redacted("holdfast: " + std::string(line) + "\n"));
}

void say_raw(std::string_view text) { write_all(STDERR_FILENO, redacted(text)); }
void print(std::string_view text) { write_all(STDOUT_FILENO, text); }

int fail(const Failure& why) {
  say(why.message());
  return exit_code_of(why.code);
}

int misused(std::string_view verb, std::string_view sentence) {
  const std::string command =
      verb.empty() ? "holdfast" : "holdfast " + std::string(verb);
  say_raw(command + ": " + std::string(sentence) + "\nsee " + command + " --help\n");
  return kUsage;
}

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
