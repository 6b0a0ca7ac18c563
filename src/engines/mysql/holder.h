// engines/mysql/holder.h - what a row says of who has it.

#pragma once

#include <string>
#include <string_view>

#include "engines/mysql/transport/statement.h"

namespace holdfast::mysql {

// Kept from the first attempt on, since a listener may take the row for another thread.
struct Holder {
  std::string payload;
  std::string thread;
  std::string function;
  std::string description;

  // What `payload` says, and of this thread.
  static Holder of_this_thread(std::string_view payload);

  // In the order of the columns: holder, host, thread, function, description.
  friend Args& operator<<(Args& args, const Holder& holder);
};

}  // namespace holdfast::mysql
