// SPDX-License-Identifier: Apache-2.0

// engines/mysql/holder_columns.h - what a row says about the client that has it.

#pragma once

#include <string>
#include <string_view>

#include "engines/mysql/transport/statement.h"

namespace holdfast::mysql {

// It is read at the first attempt, because another thread may take the row for the
// caller.
struct HolderColumns {
  std::string payload;
  std::string thread;
  std::string function;
  std::string description;

  // Returns what `payload` says.
  static HolderColumns of(std::string_view payload);

  // Adds the name of the calling thread, if the payload did not name another.
  void name_this_thread();

  // Adds the columns holder, host, thread, function and description, in this order.
  friend Args& operator<<(Args& args, const HolderColumns& holder);
};

}  // namespace holdfast::mysql
