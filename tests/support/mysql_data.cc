// SPDX-License-Identifier: Apache-2.0

#include "support/mysql_data.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/loopback.h"
#include "support/process.h"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

// Does as mariadb-install-db does, which needs programs of another package.
std::string system_tables() {
  const fs::path share = fs::path(mariadbd()).parent_path().parent_path() / "share";
  for (const fs::path at : {"mysql/mysql_", "mariadb/mariadb_"}) {
    std::ifstream tables((share / at).string() + "system_tables.sql");
    std::ifstream rows((share / at).string() + "system_tables_data.sql");
    if (!tables || !rows) continue;
    std::ostringstream all;
    all << "CREATE DATABASE mysql;\nUSE mysql;\n"
        << tables.rdbuf() << rows.rdbuf()
        << "DELETE FROM global_priv WHERE User = 'root' AND Host <> 'localhost';\n";
    return all.str();
  }
  throw std::runtime_error("the scripts of mariadb-install-db are not on this machine");
}

void fill(const fs::path& folder) {
  const std::string script = folder.string() + ".sql";
  std::ofstream(script) << system_tables();
  std::vector<std::string> command{"sh", "-c", "exec \"$@\" <\"$0\" >\"$0.log\" 2>&1",
                                   script, mariadbd()};
  for (std::string& each : mysql_storage_arguments(folder.string())) {
    command.push_back(std::move(each));
  }
  command.push_back("--bootstrap");
  fs::create_directory(folder);
  if (Process(std::move(command)).wait() == 0) return;
  throw std::runtime_error("mariadbd does not make its first tables: see " + script +
                           ".log");
}

// The original is beside the tests: one for each build and each version of the server.
fs::path original() {
  const auto version = fs::last_write_time(mariadbd()).time_since_epoch().count();
  return fs::path(HOLDFAST_MYSQL_DATA) / std::to_string(version);
}

void make_original(const fs::path& folder) {
  fs::create_directories(folder.parent_path());
  const Socket alone(
      open((folder.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  flock(alone.fd(), LOCK_EX);
  if (fs::exists(folder)) return;
  const fs::path unfinished = folder.string() + ".new";
  fs::remove_all(unfinished);
  fill(unfinished);
  fs::rename(unfinished, folder);
}

}  // namespace

std::string mariadbd() {
  if (const char* const chosen = std::getenv("HOLDFAST_MARIADBD")) return chosen;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(std::string(path == nullptr ? "" : path) +
                             ":/usr/local/sbin:/usr/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = folder + "/mariadbd";
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  throw std::runtime_error("there is no mariadbd on this machine");
}

std::vector<std::string> mysql_storage_arguments(const std::string& folder) {
  std::vector<std::string> result{"--no-defaults",
                                  "--datadir=" + folder,
                                  "--innodb-data-file-path=ibdata1:1M:autoextend",
                                  "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
                                  "--innodb-autoextend-increment=1",
                                  "--innodb-log-file-size=4M",
                                  "--innodb-buffer-pool-size=16M",
                                  "--innodb-flush-method=nosync"};
  // Otherwise it refuses to run as root.
  if (geteuid() == 0) result.push_back("--user=root");
  return result;
}

void make_mysql_data(const std::string& folder) {
  const fs::path from = original();
  if (!fs::exists(from)) make_original(from);
  fs::copy(from, folder, fs::copy_options::recursive);
}

}  // namespace holdfast::test
