// SPDX-License-Identifier: Apache-2.0

#include "servers/servers.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "errors.h"
#include "servers/redis_server.h"
#include "stores/mysql.h"

namespace holdfast::shop {
namespace {

std::string new_password() {
  std::random_device random;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%08x%08x%08x", random(), random(), random());
  return digits;
}

std::string file_in(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Trouble(kUnavailable, "MariaDB's " + path + " is missing");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The tables that mariadb-install-db makes, and a user and a database for the shop.
void write_first_tables(const std::string& path, const std::string& password) {
  const std::string share = "/usr/share/mysql/mysql_system_tables";
  std::ofstream(path) << "CREATE DATABASE mysql;\nUSE mysql;\n"
                      << file_in(share + ".sql") << file_in(share + "_data.sql")
                      << "DELETE FROM global_priv WHERE User = 'root' AND Host <> "
                         "'localhost';\nFLUSH PRIVILEGES;\nCREATE DATABASE holdfast;\n"
                         "CREATE USER holdfast IDENTIFIED BY '"
                      << password << "';\nGRANT ALL ON holdfast.* TO holdfast;\n";
}

// The row that strategies/mysql_row.h locks.
constexpr const char* kLockTable =
    "CREATE TABLE tb_lock ("
    "  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
    "  lock_name VARCHAR(50) NOT NULL,"
    "  UNIQUE KEY idx_unique (lock_name)) ENGINE=InnoDB";

}  // namespace

Servers::Servers(std::string dir) : dir_(std::move(dir)) {
  places_.sqlite = dir_ + "/stock.db";
}

std::string Servers::folder(const std::string& name) const {
  std::string path = dir_ + "/" + name;
  std::filesystem::create_directories(path);
  return path;
}

void Servers::start(Needs what) {
  switch (what) {
    case Needs::nothing:
      return;
    case Needs::redis:
      if (places_.redis == 0) places_.redis = start_redis("redis");
      return;
    case Needs::mysql:
      if (places_.mysql == 0) places_.mysql = start_mysql();
      return;
    case Needs::zookeeper:
      if (!zookeeper_) {
        zookeeper_ = start_zookeeper(folder("zookeeper"), 1);
        places_.zookeeper = zookeeper_->first_port();
      }
      return;
    case Needs::etcd:
      if (!etcd_) etcd_ = start_etcd(folder("etcd"), 1);
      return;
    case Needs::quorum:
      for (std::size_t i = quorum_.size(); i < 3; ++i) {
        quorum_.push_back(start_redis("quorum" + std::to_string(i + 1)));
      }
      return;
  }
}

std::string Servers::url(std::string_view engine) const {
  if (engine == "local") return "local://" + dir_ + "/locks";
  if (engine == "redis") return "redis://" + at(places_.redis);
  if (engine == "etcd") return "etcd://" + etcd_->hosts();
  if (engine == "zookeeper") return "zookeeper://" + zookeeper_->hosts();
  if (engine == "mysql") {
    return "mysql://holdfast:" + places_.mysql_password + "@" + at(places_.mysql) +
           "/holdfast";
  }
  std::string nodes;
  for (const std::uint16_t port : quorum_) nodes += ",redis://" + at(port);
  return "quorum:" + nodes.substr(nodes.empty() ? 0 : 1);
}

std::uint16_t Servers::start_redis(const std::string& name) {
  RunningServer server = start_redis_server(folder(name));
  children_.push_back(std::move(server.child));
  return server.port;
}

std::uint16_t Servers::start_mysql() {
  const std::string dir = folder("mysql");
  std::vector<std::string> command = {"/usr/sbin/mariadbd",
                                      "--no-defaults",
                                      "--datadir=" + dir + "/data",
                                      "--innodb-log-file-size=4M",
                                      "--innodb-buffer-pool-size=16M",
                                      "--innodb-flush-method=nosync"};
  if (getuid() == 0) command.emplace_back("--user=root");  // or it refuses
  std::filesystem::create_directories(dir + "/data");
  places_.mysql_password = new_password();
  write_first_tables(dir + "/first.sql", places_.mysql_password);
  std::vector<std::string> first = command;
  first.insert(first.begin(),
               {"sh", "-c", "\"$@\" --bootstrap <\"$0\" && echo has tables",
                dir + "/first.sql"});
  Child(first, dir + "/first.log").await("has tables", kServerPatience);
  std::filesystem::remove(dir + "/first.sql");
  RunningServer server = launched("ready for connections", [&](std::uint16_t number) {
    std::vector<std::string> words = command;
    words.insert(
        words.end(),
        {"--socket=" + dir + "/socket", "--port=" + std::to_string(number),
         "--bind-address=127.0.0.1", "--pid-file=" + dir + "/pid", "--tmpdir=" + dir,
         "--skip-log-bin", "--skip-name-resolve", "--max-connections=2000"});
    return Child(words, dir + "/log");
  });
  children_.push_back(std::move(server.child));
  Places here = places_;
  here.mysql = server.port;
  Mysql(here).run(kLockTable);
  return server.port;
}

}  // namespace holdfast::shop
