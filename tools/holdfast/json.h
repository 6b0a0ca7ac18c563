// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/json.h - writes JSON, escaped and with the commas in place.
//
//   Json json;
//   json.begin('{').key("name").value(name).key("held").value(2).end();
//   print(json.text());

#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace holdfast::cli {

// This is one value. Calls must nest as the grammar does, which is not checked.
class Json {
 public:
  Json& begin(char bracket);  // '{' or '['
  Json& end();
  Json& key(std::string_view name);
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(bool yes);
  Json& null();
  Json& raw(std::string_view json);  // a value that is already JSON

  template <std::integral T>
  Json& value(T number) {
    return raw(std::to_string(number));
  }

  std::string text() const { return text_ + "\n"; }
  const std::string& bare() const noexcept { return text_; }  // for `raw`

 private:
  void separate();
  void quote(std::string_view text);

  std::string text_;
  std::string open_;  // the closing brackets that are due
  bool first_ = true;
};

}  // namespace holdfast::cli
