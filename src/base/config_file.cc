// SPDX-License-Identifier: Apache-2.0

#include "base/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/durations.h"

namespace holdfast::base {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view unquote(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// The lines may come in any order, so the file is read line by line and judged as a
// whole at the end.
class Parser {
 public:
  explicit Parser(const std::string& file) { config_.uri.origin.file = file; }

  Result<void> read(std::string_view line, int number) {
    const auto equals = line.find('=');
    const std::string key(trim(line.substr(0, equals)));
    auto& lines = config_.uri.origin.lines;
    if (equals == std::string_view::npos || key.empty()) {
      lines["key = value"] = number;
      return bad("key = value", "expected key = value");
    }
    if (!lines.emplace(key, number).second && key != "node") {
      lines[key] = number;
      return bad(key, key + " is given twice");
    }
    const auto value = unquote(trim(line.substr(equals + 1)));
    if (value.empty()) return bad(key, key + " has no value");
    return set(key, value, number);
  }

  Result<ConfigFile> finish() && {
    if (url_) return std::move(*this).finish_url();
    Uri& uri = config_.uri;
    if (uri.scheme.empty()) {
      return Failure(Errc::bad_config,
                     uri.origin.file +
                         ": type is missing; write for example type = "
                         "local, or url = local:");
    }
    if (uri.scheme == "quorum") return std::move(*this).finish_quorum();
    if (!uri.parts.empty()) {
      return bad("node", "node belongs to type = quorum, which is not the type here");
    }
    return std::move(config_);
  }

 private:
  Failure bad(std::string_view key, const std::string& what) const {
    return config_.uri.bad(key, what);
  }

  Result<void> set(const std::string& key, std::string_view value, int number) {
    Uri& uri = config_.uri;
    if (key == "type") {
      uri.scheme = value;
    } else if (key == "address") {
      return set_addresses(value);
    } else if (key == "path") {
      if (value.front() != '/') return bad(key, "path must begin with a '/'");
      uri.path = value;
    } else if (key == "user") {
      uri.user = value;
    } else if (key == "password") {
      uri.password = Secret(std::string(value));
    } else if (key == "payload") {
      config_.payload = value;
    } else if (key == "ttl") {
      const auto ttl = parse_duration(value);
      if (!ttl) return bad(key, ttl.error().message());
      config_.ttl = *ttl;
    } else if (key == "url" || key == "node") {
      return set_url(key, value, number);
    } else {
      uri.query.emplace_back(key, value);
    }
    return {};
  }

  Result<void> set_addresses(std::string_view list) {
    for (;;) {
      const auto comma = list.find(',');
      auto host = parse_host(trim(list.substr(0, comma)));
      if (!host) return bad("address", "address is a list of host:port, with commas");
      config_.uri.hosts.push_back(*std::move(host));
      if (comma == std::string_view::npos) return {};
      list.remove_prefix(comma + 1);
    }
  }

  Result<void> set_url(const std::string& key, std::string_view text, int number) {
    Origin origin{.file = config_.uri.origin.file, .line = number};
    auto uri = parse_uri(text);
    if (!uri) {
      return Failure(Errc::bad_config, origin.prefix(key) + uri.error().context);
    }
    for (Uri& part : uri->parts) part.origin = origin;
    uri->origin = std::move(origin);
    if (key == "url") {
      url_ = *std::move(uri);
    } else if (uri->scheme == "quorum") {
      return uri->bad(key, "a node of a quorum is a quorum itself");
    } else {
      config_.uri.parts.push_back(*std::move(uri));
    }
    return {};
  }

  // Returns the first key that is not in `allowed`.
  std::optional<std::string> beside(
      const std::vector<std::string_view>& allowed) const {
    for (const auto& [key, line] : config_.uri.origin.lines) {
      if (std::ranges::find(allowed, key) == allowed.end()) return key;
    }
    return std::nullopt;
  }

  Result<ConfigFile> finish_url() && {
    if (const auto key = beside({"url", "ttl", "payload"})) {
      return bad(*key, *key +
                           " cannot stand beside url: write it into the URL, or write "
                           "type, address and so on instead of url");
    }
    config_.uri = *std::move(url_);
    return std::move(config_);
  }

  Result<ConfigFile> finish_quorum() && {
    if (const auto key = beside({"type", "node", "ttl", "payload"})) {
      return bad(*key, *key +
                           " cannot stand beside type = quorum: write it into the "
                           "URL of each node");
    }
    return std::move(config_);
  }

  ConfigFile config_;
  std::optional<Uri> url_;
};

struct File {
  std::string text;
  mode_t mode = 0;
};

// The mode is that of the file that was read, not of another one that takes its name in
// between.
Result<File> read_file(const std::string& path) {
  const auto failure = [&path](int why) {
    return Failure(why == EACCES ? Errc::denied : Errc::bad_config,
                   "cannot read " + path + ": " + std::strerror(why));
  };
  const int fd = above_stdio(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (fd < 0) return failure(errno);
  File file;
  struct stat about {};
  if (::fstat(fd, &about) == 0) file.mode = about.st_mode;
  char block[4096];
  ssize_t got = 0;
  while ((got = ::read(fd, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0) file.text.append(block, static_cast<std::size_t>(got));
  }
  const int why = errno;
  ::close(fd);
  if (got < 0) return failure(why);
  return file;
}

}  // namespace

bool ConfigFile::has_password() const noexcept {
  return !uri.password.empty() || std::ranges::any_of(uri.parts, [](const Uri& part) {
    return !part.password.empty();
  });
}

Result<ConfigFile> parse_config(std::string_view text, const std::string& file) {
  Parser parser(file);
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    if (auto done = parser.read(line, number); !done) return std::move(done).error();
  }
  return std::move(parser).finish();
}

Result<ConfigFile> read_config(const std::string& path) {
  const auto file = read_file(path);
  if (!file) return file.error();
  auto config = parse_config(file->text, path);
  const bool open = (file->mode & (S_IRGRP | S_IROTH)) != 0;
  if (config && config->has_password() && open) {
    config->warning = path +
                      " holds a password and can be read by others than its owner; run "
                      "chmod 600 on it";
  }
  return config;
}

}  // namespace holdfast::base
