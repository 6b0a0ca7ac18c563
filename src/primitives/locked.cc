#include "holdfast/locked.h"

#include <algorithm>
#include <charconv>

namespace holdfast {
namespace {

using detail::Argument;

Failure bad(const std::string& what) {
  return {Errc::bad_argument, "the key of a locked function: " + what};
}

Result<std::string> text_of(std::span<const Argument> arguments, std::size_t number) {
  if (number >= arguments.size()) {
    return bad("there is no argument {" + std::to_string(number) + "}");
  }
  const Argument& argument = arguments[number];
  if (argument.text == nullptr) {
    return bad("argument {" + std::to_string(number) + "} cannot be written as text");
  }
  return argument.text(argument.value);
}

// "{}" is the next argument, "{2}" the third, "{{" and "}}" are braces.
Result<std::string> fill(std::string_view format, std::span<const Argument> arguments) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c != '{' && c != '}') {
      text += c;
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == c) {
      text += c;
      ++i;
      continue;
    }
    const std::size_t end = c == '{' ? format.find('}', i) : std::string_view::npos;
    if (end == std::string_view::npos) return bad("a brace is left alone");
    std::size_t number = next;
    const char* const last = format.data() + end;
    const char* const first = format.data() + i + 1;
    if (first == last) {
      ++next;
    } else if (std::from_chars(first, last, number).ptr != last) {
      return bad("between braces stands a number, or nothing");
    }
    auto part = text_of(arguments, number);
    if (!part) return part;
    text += *part;
    i = end;
  }
  return text;
}

}  // namespace

Result<std::string> LockKey::of(std::span<const Argument> arguments) const {
  if (type_ == nullptr) return fill(format_, arguments);
  const auto found =
      std::find_if(arguments.begin(), arguments.end(),
                   [&](const Argument& each) { return *each.type == *type_; });
  if (found == arguments.end()) return bad("no argument has the type that it reads");
  return compute_(found->value);
}

}  // namespace holdfast
