// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/words.h - tells the options of a command line from its words.

#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::cli {

struct Words {
  std::vector<std::string> flags;  // with their values
  std::vector<std::string> words;
};

enum class Numbers { are_options, are_words };  // says what `-3` is

// Options may stand before, between and after the words. From word number `last` on, or
// after `--`, everything is a word, because it is a command with options of its own.
Words split(const CLI::App& app, std::vector<std::string> args, std::size_t last,
            Numbers numbers = Numbers::are_options);

}  // namespace holdfast::cli
