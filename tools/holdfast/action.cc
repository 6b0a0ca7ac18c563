// SPDX-License-Identifier: Apache-2.0

#include "action.h"

#include <algorithm>
#include <charconv>

#include "exit_codes.h"
#include "holdfast/names.h"
#include "say.h"
#include "words.h"

namespace holdfast::cli {
namespace {

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

// Returns "set, down, wait or count".
std::string choices(std::span<const Action> actions) {
  std::string text;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (i != 0) text += i + 1 == actions.size() ? " or " : ", ";
    text += actions[i].name;
  }
  return text;
}

std::string wrong_count(const Action& action) {
  const std::string count =
      action.most == 0 ? "no number"
      : action.least == action.most
          ? std::to_string(action.most) + (action.most == 1 ? " number" : " numbers")
          : "at most " + std::to_string(action.most) + " number";
  return std::string(action.name) + " takes " + count;
}

// Returns an empty text and sets `into`, or says what is wrong.
std::string read_number(std::string_view text, const Action& action,
                        std::int64_t& into) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, into);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) {
    return in_quotes(text) + " is not a whole number";
  }
  if (read.ec == std::errc() && into < action.from) {
    return in_quotes(text) + " is too small: at least " + std::to_string(action.from);
  }
  if (read.ec != std::errc() || into > action.to) {
    return in_quotes(text) + " is out of range";
  }
  return {};
}

// Takes the operands of the action. Returns an empty text, or says what is wrong.
std::string take_operands(const Action& action, std::span<const std::string> words,
                          Request& request) {
  const std::size_t count =
      action.runs_command ? std::min(action.most, words.size()) : words.size();
  if (count < action.least || count > action.most) return wrong_count(action);
  for (const std::string& word : words.first(count)) {
    std::int64_t number = 0;
    if (auto wrong = read_number(word, action, number); !wrong.empty()) return wrong;
    request.numbers.push_back(number);
  }
  const auto rest = words.subspan(count);
  request.command.assign(rest.begin(), rest.end());
  if (action.runs_command && rest.empty()) return "the command is missing";
  return {};
}

// Returns the number of the word at which a command begins, if there may be one.
std::size_t last_word(std::span<const Action> actions) {
  for (const Action& each : actions) {
    if (each.runs_command) return 2 + each.most + 1;
  }
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace

int perform(const ActionVerb& what, std::vector<std::string> args) {
  Request request;
  WaitLimit wait;
  Verb verb(what.name, what.synopsis, what.purpose);
  const auto waits = [](const Action& each) { return each.waits; };
  if (std::any_of(what.actions.begin(), what.actions.end(), waits)) {
    verb.add_wait(wait, "at all");
  }
  verb.add_common(request.common);
  std::vector<std::string> names;
  for (const Action& each : what.actions) names.emplace_back(each.name);
  verb.set_actions(std::move(names));
  verb.app().footer(what.footer);
  const Words parts =
      split(verb.app(), std::move(args), last_word(what.actions), Numbers::are_words);
  if (const auto over = verb.parse(parts.flags)) return *over;

  const std::span words(parts.words);
  if (words.empty()) return misused(what.name, "NAME is missing");
  if (words.size() == 1) {
    return misused(what.name, "say what to do: " + choices(what.actions));
  }
  const auto action =
      std::find_if(what.actions.begin(), what.actions.end(),
                   [&](const Action& each) { return each.name == words[1]; });
  if (action == what.actions.end()) {
    return misused(what.name,
                   in_quotes(words[1]) + " is not one of " + choices(what.actions));
  }
  if (const auto wrong = take_operands(*action, words.subspan(2), request);
      !wrong.empty()) {
    return misused(what.name, wrong);
  }
  if (wait.given() && !action->waits) {
    return misused(what.name, std::string(action->name) + " does not wait");
  }
  request.name = words[0];
  request.wait = wait.timeout();
  if (const auto good = check_name(request.name); !good) return fail(good.error());
  return action->perform(request);
}

}  // namespace holdfast::cli
