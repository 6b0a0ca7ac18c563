// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "document.h"

namespace holdfast::cli {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

std::vector<std::string> names(const std::vector<DocumentedVerb>& verbs) {
  std::vector<std::string> out;
  out.reserve(verbs.size());
  for (const DocumentedVerb& each : verbs) out.push_back(each.name);
  return out;
}

// Puts a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Quotes the text for the inside of single quotes in zsh.
std::string inside_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

// Returns the cases of `case $prev`: what may follow an option.
std::string bash_values(const DocumentedVerb& verb) {
  std::string out;
  for (const DocumentedOption& each : verb.options) {
    if (each.is_word() || each.value.empty()) continue;
    out += "        " + joined(each.flags, "|") + ") ";
    if (each.takes_file()) {
      out += "COMPREPLY=($(compgen -f -- \"$cur\")); ";
    } else if (!each.choices().empty()) {
      out += "COMPREPLY=($(compgen -W '" + joined(each.choices(), " ") +
             "' -- \"$cur\")); ";
    }
    out += "return ;;\n";
  }
  return out.empty() ? "" : "      case $prev in\n" + out + "      esac\n";
}

std::string zsh_value(const DocumentedOption& option) {
  if (option.value.empty()) return "";
  std::string kind = ":" + escaped(option.value, ":[]\\") + ":";
  if (option.takes_file()) return kind + "_files";
  if (option.choices().empty()) return kind;
  return ":value:(" + joined(option.choices(), " ") + ")";
}

std::string zsh_arguments(const DocumentedVerb& verb, const std::string& verbs) {
  std::string out = "_arguments -s";
  for (const DocumentedOption& each : verb.options) {
    if (each.is_word()) continue;
    const std::string all = joined(each.flags, " ");
    const std::string rest =
        inside_quotes("[" + escaped(each.help, "[]:\\") + "]" + zsh_value(each));
    for (const std::string& flag : each.flags) {
      out += " \\\n        '(" + all + ")" + flag + rest + "'";
    }
  }
  if (verb.name == "help") return out + " \\\n        '1:verb:(" + verbs + ")'";
  out += " \\\n        '1:name:'";
  if (!verb.actions.empty()) out += " '2:action:(" + joined(verb.actions, " ") + ")'";
  return out + (verb.runs_command() ? " '*::command:_normal'" : " '*:word:'");
}

std::string fish_option(const std::string& verb, const DocumentedOption& option) {
  std::string out =
      "complete -c holdfast -n '__fish_seen_subcommand_from " + verb + "'";
  for (const std::string& flag : option.flags) {
    out += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  }
  if (!option.value.empty()) out += option.takes_file() ? " -r -F" : " -x";
  if (!option.choices().empty()) out += " -a '" + joined(option.choices(), " ") + "'";
  return out + " -d '" + escaped(option.help, "\\'") + "'\n";
}

}  // namespace

std::string bash_completion(const std::vector<DocumentedVerb>& verbs) {
  const std::string all = joined(names(verbs), " ");
  std::string out =
      "# bash completion for holdfast(1); made by the program itself\n"
      "_holdfast() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local options= words=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      all + " --help --version' -- \"$cur\"))\n    return\n  fi\n" +
      "  case ${COMP_WORDS[1]} in\n";
  for (const DocumentedVerb& verb : verbs) {
    std::vector<std::string> flags;
    for (const DocumentedOption& each : verb.options) {
      if (!each.is_word())
        flags.insert(flags.end(), each.flags.begin(), each.flags.end());
    }
    out += "    " + verb.name + ")\n      options='" + joined(flags, " ") + "'\n";
    if (verb.name == "help") out += "      words='" + all + "'\n";
    if (!verb.actions.empty()) {
      out += "      words='" + joined(verb.actions, " ") + "'\n";
    }
    out += bash_values(verb);
    if (verb.runs_command()) {
      out +=
          "      if ((COMP_CWORD > 2)) && [[ $cur != -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -A command -A file -- "
          "\"$cur\"))\n        return\n      fi\n";
    }
    out += "      ;;\n";
  }
  return out +
         "  esac\n"
         "  [[ $cur != -* ]] || words=$options\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -F _holdfast holdfast\n";
}

std::string zsh_completion(const std::vector<DocumentedVerb>& verbs) {
  const std::string all = joined(names(verbs), " ");
  std::string out =
      "#compdef holdfast\n"
      "# zsh completion for holdfast(1); made by the program itself\n"
      "_holdfast() {\n  local -a verbs=(\n";
  for (const DocumentedVerb& verb : verbs) {
    out +=
        "    '" + inside_quotes(verb.name + ":" + escaped(verb.summary, ":\\")) + "'\n";
  }
  out +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n";
  for (const DocumentedVerb& verb : verbs) {
    out += "    " + verb.name + ")\n      " + zsh_arguments(verb, all) + "\n      ;;\n";
  }
  return out + "  esac\n}\n_holdfast \"$@\"\n";
}

std::string fish_completion(const std::vector<DocumentedVerb>& verbs) {
  std::string out = "# fish completion for holdfast(1); made by the program itself\n";
  for (const DocumentedVerb& verb : verbs) {
    out += "complete -c holdfast -f -n __fish_use_subcommand -a " + verb.name +
           " -d '" + escaped(verb.summary, "\\'") + "'\n";
    for (const std::string& action : verb.actions) {
      out += "complete -c holdfast -f -n '__fish_seen_subcommand_from " + verb.name +
             "' -a " + action + "\n";
    }
    for (const DocumentedOption& each : verb.options) {
      if (!each.is_word()) out += fish_option(verb.name, each);
    }
  }
  return out;
}

}  // namespace holdfast::cli
