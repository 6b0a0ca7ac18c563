// SPDX-License-Identifier: Apache-2.0

#include "servers/servers.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "errors.h"
#include "servers/free_port.h"
#include "stores/mysql.h"

namespace holdfast::shop {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr int kTries = 3;  // Another process may take a port meanwhile.

std::string at(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

std::string new_password() {
  std::random_device random;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%08x%08x%08x", random(), random(), random());
  return digits;
}

// Calls `launch` with a port until the child says `ready`.
template <class Launch>
std::uint16_t launched(std::map<std::string, Child>& children, const std::string& name,
                       const std::string& ready, Launch launch) {
  for (int tried = 1;; ++tried) {
    const std::uint16_t port = free_port();
    Child child = launch(port);
    try {
      child.await(ready, kPatience);
      children.insert_or_assign(name, std::move(child));
      return port;
    } catch (const Trouble& e) {
      if (tried == kTries || e.exit_code() == kInterrupted) throw;
    }
  }
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
  const std::string path = dir_ + "/" + name;
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
      if (places_.zookeeper == 0) places_.zookeeper = start_zookeeper();
      return;
    case Needs::etcd:
      if (etcd_ == 0) etcd_ = start_etcd();
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
  if (engine == "etcd") return "etcd://" + at(etcd_);
  if (engine == "zookeeper") return "zookeeper://" + at(places_.zookeeper);
  if (engine == "mysql") {
    return "mysql://holdfast:" + places_.mysql_password + "@" + at(places_.mysql) +
           "/holdfast";
  }
  std::string nodes;
  for (const std::uint16_t port : quorum_) nodes += ",redis://" + at(port);
  return "quorum:" + nodes.substr(nodes.empty() ? 0 : 1);
}

// With a file of its changes: without one, a lock is lost in a restart, and Holdfast
// warns.
std::uint16_t Servers::start_redis(const std::string& name) {
  return launched(
      children_, name, "Ready to accept connections", [&](std::uint16_t port) {
        return Child(
            {"redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1",
             "--dir", folder(name), "--save", "", "--appendonly", "yes"},
            folder(name) + "/log");
      });
}

// The shortest lease is one and a half election timeouts.
std::uint16_t Servers::start_etcd() {
  return launched(children_, "etcd", "serving client traffic", [&](std::uint16_t port) {
    const std::string dir = folder("etcd");
    std::filesystem::remove_all(dir + "/data");
    const std::string clients = "http://" + at(port);
    const std::string peers = "http://" + at(free_port());
    return Child({"etcd",         "--name",
                  "one",          "--data-dir",
                  dir + "/data",  "--logger",
                  "zap",          "--listen-client-urls",
                  clients,        "--advertise-client-urls",
                  clients,        "--listen-peer-urls",
                  peers,          "--initial-advertise-peer-urls",
                  peers,          "--initial-cluster",
                  "one=" + peers, "--heartbeat-interval",
                  "10",           "--election-timeout",
                  "100",          "--unsafe-no-fsync"},
                 dir + "/log");
  });
}

// The line is the last of its start: it listens long before it serves.
std::uint16_t Servers::start_zookeeper() {
  return launched(children_, "zookeeper", "checkIntervalMs", [&](std::uint16_t port) {
    const std::string dir = folder("zookeeper");
    std::ofstream(dir + "/zoo.cfg")
        << "clientPortAddress=127.0.0.1\nclientPort=" << port << "\ndataDir=" << dir
        << "/data\ntickTime=250\nminSessionTimeout=500\nmaxSessionTimeout=600000\n"
           "maxClientCnxns=0\nadmin.enableServer=false\nforceSync=no\n";
    std::string jars;
    for (const char* jar :
         {"zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-simple"}) {
      jars += std::string(jars.empty() ? "" : ":") + "/usr/share/java/" + jar + ".jar";
    }
    return Child(
        {"java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
         "-XX:-UsePerfData", "-cp", jars,
         "org.apache.zookeeper.server.quorum.QuorumPeerMain", dir + "/zoo.cfg"},
        dir + "/log");
  });
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
  Child(first, dir + "/first.log").await("has tables", kPatience);
  std::filesystem::remove(dir + "/first.sql");
  const auto port =
      launched(children_, "mysql", "ready for connections", [&](std::uint16_t number) {
        std::vector<std::string> words = command;
        words.insert(words.end(),
                     {"--socket=" + dir + "/socket", "--port=" + std::to_string(number),
                      "--bind-address=127.0.0.1", "--pid-file=" + dir + "/pid",
                      "--tmpdir=" + dir, "--skip-log-bin", "--skip-name-resolve",
                      "--max-connections=2000"});
        return Child(words, dir + "/log");
      });
  Places here = places_;
  here.mysql = port;
  Mysql(here).run(kLockTable);
  return port;
}

}  // namespace holdfast::shop
