// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/connect.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "base/common_failures.h"
#include "base/time_left.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/transport/call_deadline.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

// These methods do not send the password itself to a server that asks for it.
constexpr const char* kWays =
    "mysql_native_password,client_ed25519,caching_sha2_password,sha256_password,"
    "auth_gssapi_client,parsec";

void start_library() {
  static std::once_flag once;
  std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
}

const char* text_or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

void set_tls(MYSQL* handle, const Options& options) {
  const my_bool on = options.tls != Tls::off ? 1 : 0;
  const my_bool verify = options.tls == Tls::verify ? 1 : 0;
  if (on != 0) {
    mysql_ssl_set(handle, text_or_null(options.key_file),
                  text_or_null(options.cert_file), text_or_null(options.ca_file),
                  nullptr, nullptr);
  }
  mysql_optionsv(handle, MYSQL_OPT_SSL_ENFORCE, &on);
  mysql_optionsv(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
}

void set_options(MYSQL* handle, const Options& options, engine::Deadline until) {
  const auto left = std::chrono::ceil<std::chrono::seconds>(
      base::time_left(until, std::chrono::seconds(60)));
  const auto seconds =
      static_cast<unsigned>(std::max<std::chrono::seconds::rep>(left.count(), 1));
  const unsigned no = 0;
  const my_bool never = 0;
  mysql_optionsv(handle, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  mysql_optionsv(handle, MYSQL_OPT_READ_TIMEOUT, &seconds);
  mysql_optionsv(handle, MYSQL_OPT_WRITE_TIMEOUT, &seconds);
  mysql_optionsv(handle, MYSQL_OPT_LOCAL_INFILE, &no);
  mysql_optionsv(handle, MYSQL_OPT_RECONNECT, &never);
  mysql_optionsv(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_optionsv(handle, MARIADB_OPT_RESTRICTED_AUTH, kWays);
  set_tls(handle, options);
  CallDeadline::install(handle);
}

}  // namespace

Result<Handle> connect_to(const Options& options, const base::Host* host,
                          engine::Deadline until) {
  start_library();
  Handle handle(mysql_init(nullptr), mysql_close);
  if (handle == nullptr) {
    return base::no_memory("connect to MySQL at", options.spelt());
  }
  set_options(handle.get(), options, until);
  unsigned protocol = host != nullptr ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
  mysql_optionsv(handle.get(), MYSQL_OPT_PROTOCOL, &protocol);
  const CallDeadline deadline(until);
  if (mysql_real_connect(handle.get(), host != nullptr ? host->name.c_str() : nullptr,
                         options.user.c_str(), options.password.reveal().c_str(),
                         options.database.c_str(), host != nullptr ? host->port : 0,
                         text_or_null(options.socket), CLIENT_FOUND_ROWS) == nullptr) {
    return why_not_connected(mysql_errno(handle.get()), mysql_error(handle.get()),
                             options.spelt());
  }
  if (options.tls != Tls::off && mysql_get_ssl_cipher(handle.get()) == nullptr) {
    return has_no_tls(options.spelt());
  }
  return handle;
}

}  // namespace holdfast::mysql
