// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/document.h - manual pages and completions, made from the same tables
// as --help.

#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

struct DocumentedOption {
  std::vector<std::string> flags;  // "-n", "--nonblock"; for a word, its name alone
  std::string value;               // "DUR", or empty if it takes none
  std::string help;

  bool is_word() const { return !flags.front().starts_with('-'); }
  bool takes_file() const { return value == "FILE"; }
  std::vector<std::string> choices() const;  // the choices of "term|kill|warn"
};

struct DocumentedVerb {
  std::string name;
  std::string summary;                // as in the list of verbs
  std::vector<std::string> synopsis;  // whole lines: "holdfast run [OPTIONS] ..."
  std::string purpose;
  std::string footer;
  std::vector<std::string> actions;  // "set", "down": the words after NAME
  std::vector<DocumentedOption> options;

  bool runs_command() const;
};

// Returns all verbs that are for users.
std::vector<DocumentedVerb> documented_verbs();

std::string man_page(const std::vector<DocumentedVerb>& verbs);  // of the whole program
std::string man_page(const DocumentedVerb& verb);

std::string bash_completion(const std::vector<DocumentedVerb>& verbs);
std::string zsh_completion(const std::vector<DocumentedVerb>& verbs);
std::string fish_completion(const std::vector<DocumentedVerb>& verbs);

}  // namespace holdfast::cli
