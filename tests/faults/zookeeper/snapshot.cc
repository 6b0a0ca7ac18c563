// SPDX-License-Identifier: Apache-2.0

#include "faults/zookeeper/snapshot.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

// A node: its path and its data, each after its length, then
constexpr std::size_t kToSequence = 8 + 4 * 8 + 4;  // rights, two zxids, two times, ...
// The end of the file: a checksum, and a path of one letter after its length.
constexpr std::size_t kSeal = 8;
constexpr std::size_t kAfterSeal = 5;

fs::path newest(const fs::path& folder) {
  const auto age = [](const fs::path& path) {
    return std::stoull(path.extension().string().substr(1), nullptr, 16);
  };
  fs::path best;
  for (const auto& each : fs::directory_iterator(folder)) {
    if (each.path().stem() != "snapshot") continue;
    if (best.empty() || age(each.path()) > age(best)) best = each.path();
  }
  return best;
}

std::string big_endian(std::uint64_t number, std::size_t bytes) {
  std::string result;
  for (std::size_t i = bytes; i-- > 0;) {
    result += static_cast<char>(number >> (8 * i));
  }
  return result;
}

std::uint64_t adler32(std::string_view bytes) {
  constexpr std::uint64_t kPrime = 65521;
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  for (const char each : bytes) {
    a = (a + static_cast<unsigned char>(each)) % kPrime;
    b = (b + a) % kPrime;
  }
  return b << 16 | a;
}

}  // namespace

void set_sequence(const std::string& data_dir, const std::string& path,
                  std::int32_t next) {
  const fs::path file = newest(data_dir + "/version-2");
  std::ifstream in(file, std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(in), {}};
  const std::string head = big_endian(path.size(), 4) + path + big_endian(0, 4);
  const std::size_t node = all.find(head);
  if (node == std::string::npos) throw std::runtime_error("no empty node " + path);
  all.replace(node + head.size() + kToSequence, 4,
              big_endian(static_cast<std::uint32_t>(next), 4));
  const std::size_t sealed = all.size() - kAfterSeal - kSeal;
  all.replace(sealed, kSeal,
              big_endian(adler32(std::string_view(all).substr(0, sealed)), kSeal));
  std::ofstream(file, std::ios::binary) << all;
}

}  // namespace holdfast::test
