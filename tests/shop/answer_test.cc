// SPDX-License-Identifier: Apache-2.0

#include "load/answer.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::shop {
namespace {

const std::string kWhole =
    "HTTP/1.1 200 OK\r\nServer: nginx\r\ncontent-length: 5\r\n\r\nhello";

TEST(ShopAnswer, IsReadWhenItIsWhole) {
  const std::string bytes = kWhole + "HTTP/1.1 2";
  const Answer answer = read_answer(bytes);
  EXPECT_EQ(answer.length, kWhole.size());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_TRUE(answer.keep_alive);
}

TEST(ShopAnswer, WaitsForEachOfItsBytes) {
  for (std::size_t size = 0; size < kWhole.size(); ++size) {
    const std::string bytes = kWhole.substr(0, size);
    const Answer answer = read_answer(bytes);
    EXPECT_EQ(answer.length, 0U) << size;
    EXPECT_FALSE(answer.broken) << size;
  }
}

TEST(ShopAnswer, SaysThatTheConnectionEnds) {
  EXPECT_FALSE(read_answer("HTTP/1.1 503 No\r\nConnection: Close\r\nContent-Length: "
                           "0\r\n\r\n")
                   .keep_alive);
}

TEST(ShopAnswer, IsBroken) {
  for (const std::string& bytes :
       {std::string("SSH-2.0\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\n\r\n"),
        std::string("HTTP/1.1 abc OK\r\nContent-Length: 1\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        std::string(100'000, 'x')}) {
    EXPECT_TRUE(read_answer(bytes).broken) << bytes.substr(0, 60);
  }
}

}  // namespace
}  // namespace holdfast::shop
