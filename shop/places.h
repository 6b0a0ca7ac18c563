// SPDX-License-Identifier: Apache-2.0

// shop/places.h - where the stock and the servers of a sale are.

#pragma once

#include <cstdint>
#include <string>

namespace holdfast::shop {

// Everything is on 127.0.0.1. A port of 0 means that the server does not run.
struct Places {
  std::string sqlite;  // the path of the file
  std::uint16_t redis = 0;
  std::uint16_t mysql = 0;
  std::string mysql_password;
  std::uint16_t zookeeper = 0;
  std::string lock_url;  // of the Holdfast strategy, and of the test pages
  std::string presence;  // the path of the file in which services count

  // A service gets them by its environment, since a command line can be read by every
  // user of the host, and there is a password among them.
  void to_environment() const;
  static Places from_environment();
};

}  // namespace holdfast::shop
