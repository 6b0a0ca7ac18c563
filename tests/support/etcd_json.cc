// SPDX-License-Identifier: Apache-2.0

#include "support/etcd_json.h"

#include <openssl/evp.h>

#include <algorithm>

namespace holdfast::test {
namespace {

using Bytes = unsigned char*;
using ConstBytes = const unsigned char*;

std::string in_json(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text(bytes.size() / 3 * 4 + 5, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<Bytes>(text.data()),
                                   reinterpret_cast<ConstBytes>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  EVP_DecodeBlock(reinterpret_cast<Bytes>(bytes.data()),
                  reinterpret_cast<ConstBytes>(text.data()),
                  static_cast<int>(text.size()));
  const auto padding = std::ranges::count(text, '=');
  bytes.resize(bytes.size() - static_cast<std::size_t>(padding));
  return bytes;
}

std::string object(
    std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  std::string json;
  for (const auto& [name, value] : fields) {
    json += (json.empty() ? "" : ",") + in_json(name) + ":" + in_json(value);
  }
  return "{" + json + "}";
}

std::optional<std::string> field(std::string_view json, std::string_view name) {
  const std::string head = in_json(name) + ":";
  const std::size_t at = json.find(head);
  if (at == std::string_view::npos) return std::nullopt;
  json.remove_prefix(at + head.size());
  const bool is_text = json.starts_with('"');
  if (is_text) json.remove_prefix(1);
  return std::string(json.substr(0, json.find_first_of(is_text ? "\"" : ",}")));
}

std::int64_t number(std::string_view json, std::string_view name) {
  return std::stoll(field(json, name).value_or("0"));
}

std::vector<std::string> items(const std::string& json, std::string_view name) {
  std::vector<std::string> result;
  std::size_t at = json.find(in_json(name) + ":[");
  if (at == std::string::npos) return result;
  const std::size_t end = json.find(']', at);
  while ((at = json.find('{', at)) < end) {
    const std::size_t close = json.find('}', at);
    result.push_back(json.substr(at, close + 1 - at));
    at = close;
  }
  return result;
}

}  // namespace holdfast::test
