// SPDX-License-Identifier: Apache-2.0

#include "document.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "exit_codes.h"
#include "options.h"
#include "say.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

DocumentedOption documented(const CLI::Option& option) {
  DocumentedOption known;
  for (const std::string& name : option.get_snames()) known.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) {
    known.flags.push_back("--" + name);
  }
  if (known.flags.empty()) known.flags.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0) known.value = option.get_type_name();
  known.help = option.get_description();
  return known;
}

void fill_in(DocumentedVerb& known, const Verb& verb) {
  std::istringstream lines("holdfast " + verb.name() + " " + verb.synopsis());
  for (std::string line; std::getline(lines, line);) {
    known.synopsis.push_back(line.substr(line.find_first_not_of(' ')));
  }
  known.purpose = verb.app().get_description();
  known.footer = verb.app().get_footer();
  known.actions = verb.actions();
  for (const CLI::Option* option : verb.app().get_options()) {
    known.options.push_back(documented(*option));
  }
}

bool write_file(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::trunc);
  return static_cast<bool>(file << text << std::flush);
}

}  // namespace

std::vector<std::string> DocumentedOption::choices() const {
  std::vector<std::string> words;
  if (value.find('|') == std::string::npos) return words;
  std::istringstream all(value);
  for (std::string word; std::getline(all, word, '|');) words.push_back(word);
  return words;
}

bool DocumentedVerb::runs_command() const {
  for (const std::string& line : synopsis) {
    if (line.find("CMD") != std::string::npos) return true;
  }
  return false;
}

std::vector<DocumentedVerb> documented_verbs() {
  std::vector<DocumentedVerb> verbs;
  for (const Entrance& each : all_verbs()) {
    if (each.purpose.empty()) continue;
    DocumentedVerb known;
    known.name = each.verb;
    known.summary = each.purpose;
    if (each.has_table) {
      describe_instead([&](const Verb& verb) { fill_in(known, verb); });
      each.enter({"--help"});
      describe_instead(nullptr);
    } else {
      known.synopsis = {"holdfast " + known.name + " [OPTIONS]"};
      known.purpose = "See holdfast " + known.name + " --help.";
    }
    verbs.push_back(std::move(known));
  }
  return verbs;
}

int document(std::vector<std::string> args) {
  CommonOptions common;
  std::string folder;
  Verb verb("document", "[OPTIONS] DIR",
            "Writes the manual pages and the completions into DIR; for packagers.");
  verb.app()
      .add_option("DIR", folder, "The folder, which is made if it does not exist")
      ->required();
  verb.add_output(common);
  if (const auto over = verb.parse(std::move(args))) return *over;

  const fs::path dir(folder);
  const auto verbs = documented_verbs();
  bool done = write_file(dir / "man1/holdfast.1", man_page(verbs));
  for (const DocumentedVerb& each : verbs) {
    done &= write_file(dir / ("man1/holdfast-" + each.name + ".1"), man_page(each));
  }
  done &= write_file(dir / "bash/holdfast", bash_completion(verbs));
  done &= write_file(dir / "zsh/_holdfast", zsh_completion(verbs));
  done &= write_file(dir / "fish/holdfast.fish", fish_completion(verbs));
  if (done) return kOk;
  return fail({.error = "cannot_write",
               .message = printable(folder) + " cannot be written",
               .exit_code = kCannotCreate});
}

}  // namespace holdfast::cli
