// SPDX-License-Identifier: Apache-2.0

// tests/cli/mysql_cli.h - the program on a MariaDB server of its own, with our tables
// in the database "locks".

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cli/program.h"
#include "support/mysql_server.h"

namespace holdfast::test {

class MysqlCli : public testing::Test {
 protected:
  MysqlCli() {
    server_.make_database("locks");
    shell_.run("USE locks");
    use("/locks");
  }

  void use(const std::string& rest) {
    holdfast_.set("HOLDFAST_URL=" + server_.url(rest));
  }

  MysqlServer server_;
  MysqlShell shell_ = server_.shell();
  Program holdfast_;
};

}  // namespace holdfast::test
