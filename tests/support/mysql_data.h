// tests/support/mysql_data.h - a new data folder of MariaDB, with nobody in it but
// root.

#pragma once

#include <string>
#include <vector>

namespace holdfast::test {

// The program in HOLDFAST_MARIADBD, or else `mariadbd`, also where only root looks for
// programs. Throws std::runtime_error, in one sentence, when there is none.
std::string mariadbd();

// What every start needs, the first and the later ones: small files, and nothing that
// waits for a disk. What was answered outlives a killed server, not a lost machine.
std::vector<std::string> mysql_storage_arguments(const std::string& folder);

// Makes `folder`. Root comes in through the server's unix socket alone and needs no
// password. The first one of each build takes a third of a second, the others are
// copies. Throws std::runtime_error. Safe for concurrent use, also by other processes.
void make_mysql_data(const std::string& folder);

}  // namespace holdfast::test
