// SPDX-License-Identifier: Apache-2.0

#include "words.h"

#include <utility>

namespace holdfast::cli {
namespace {

// Returns whether the last option in `arg` takes its value from the next argument.
bool wants_next(const CLI::App& app, const std::string& arg) {
  const auto takes_value = [&](const std::string& flag) {
    const CLI::Option* option = app.get_option_no_throw(flag);
    return option != nullptr && option->get_items_expected_max() > 0;
  };
  if (arg.starts_with("--")) {
    return arg.find('=') == std::string::npos && takes_value(arg);
  }
  for (std::size_t i = 1; i < arg.size(); ++i) {
    if (takes_value({'-', arg[i]})) return i + 1 == arg.size();
  }
  return false;
}

bool is_option(const std::string& arg, Numbers numbers) {
  if (arg.size() < 2 || arg[0] != '-') return false;
  return numbers == Numbers::are_options || arg[1] < '0' || arg[1] > '9';
}

}  // namespace

Words split(const CLI::App& app, std::vector<std::string> args, std::size_t last,
            Numbers numbers) {
  Words out;
  std::size_t i = 0;
  while (i < args.size() && out.words.size() < last) {
    std::string& arg = args[i];
    if (arg == "--") {
      ++i;
      break;
    }
    const bool flag = is_option(arg, numbers);
    const bool more = flag && wants_next(app, arg) && i + 1 < args.size();
    (flag ? out.flags : out.words).push_back(std::move(arg));
    ++i;
    if (more) out.flags.push_back(std::move(args[i++]));
  }
  out.words.insert(out.words.end(), args.begin() + static_cast<std::ptrdiff_t>(i),
                   args.end());
  return out;
}

}  // namespace holdfast::cli
