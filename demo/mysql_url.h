// SPDX-License-Identifier: Apache-2.0

// demo/mysql_url.h - what --store says.
//
//   mysql://[user[:password]@]host[:3306]/database[?tls=off]
//   mysql://user@/database?socket=/run/mysqld/mysqld.sock

#pragma once

#include <string>

namespace holdfast::demo {

struct MysqlUrl {
  std::string user;
  std::string password;
  std::string host;
  unsigned port = 3306;
  std::string socket;  // a path, instead of host and port
  std::string database;
  bool tls = false;  // The server's certificate is then checked.

  // Throws Trouble, whose text never shows the password.
  static MysqlUrl of(const std::string& url);
};

}  // namespace holdfast::demo
