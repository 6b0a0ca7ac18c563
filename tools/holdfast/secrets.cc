// SPDX-License-Identifier: Apache-2.0

#include "secrets.h"

#include <algorithm>
#include <vector>

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

}  // namespace

bool keep_secret(std::string_view url) {
  const std::string_view password = password_in(url);
  if (!password.empty()) secrets().emplace_back(password);
  return !password.empty();
}

// Stars are only put where a URL has its password. Elsewhere the same characters may be
// an answer, and stars in it would reveal the password's characters.
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

void cover_up(char* argument) {
  const std::string_view whole(argument);
  const std::string_view password = password_in(whole);
  if (whole.find("://") == std::string_view::npos || password.empty()) return;
  std::fill_n(argument + (password.data() - whole.data()), password.size(), '*');
}

}  // namespace holdfast::cli
