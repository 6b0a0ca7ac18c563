// SPDX-License-Identifier: Apache-2.0

// tests/support/mysql_data.h - a new data folder of MariaDB, with root as its only
// user.

#pragma once

#include <string>
#include <vector>

namespace holdfast::test {

// Returns the program in HOLDFAST_MARIADBD, or else `mariadbd`, also from the folders
// that are only in root's PATH. Throws std::runtime_error, with one sentence, when
// there is none.
std::string mariadbd();

// Every start, the first and the later ones, needs these: small files, and nothing that
// waits for a disk. Answered writes outlive a killed server, but not a lost machine.
std::vector<std::string> mysql_storage_arguments(const std::string& folder);

// Creates `folder`. Root logs in through the server's unix socket only and needs no
// password. The first folder of each build takes a third of a second, the others are
// copies. Throws std::runtime_error. The function is safe for concurrent use, also by
// other processes.
void make_mysql_data(const std::string& folder);

}  // namespace holdfast::test
