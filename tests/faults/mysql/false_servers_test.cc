// SPDX-License-Identifier: Apache-2.0

// A server asks for what only the client should know.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "faults/mysql/ground.h"
#include "support/loopback.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::string packet(char number, const std::string& content) {
  return std::string(1, static_cast<char>(content.size())) + "\0\0"s + number + content;
}

std::string greeting(const std::string& plugin) {
  return packet(0,
                "\x0a"
                "10.11.0\0\1\0\0\0abcdefgh\0\x09\x82\x2d\2\0\x08\0\x15"s +
                    std::string(10, '\0') + "ijklmnopqrst\0"s + plugin + "\0"s);
}

const std::string kWelcome = packet(2, "\0\0\0\2\0\0\0"s);

// A server that greets every client and then sends one reply after the other, whatever
// it is sent.
class FalseServer {
 public:
  explicit FalseServer(std::vector<std::string> says)
      : thread_([this, says = std::move(says)](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            const Socket client = accept_on(listening_, 20);
            if (!client) continue;
            for (const std::string& each : says) {
              (void)!send(client.fd(), each.data(), each.size(), MSG_NOSIGNAL);
              char bytes[1024];
              const ssize_t n = recv(client.fd(), bytes, sizeof bytes, 0);
              if (n <= 0) break;
              heard_.append(bytes, static_cast<std::size_t>(n));
            }
          }
        }) {}

  std::string url() const {
    return "mysql://ann:c4n4ry@127.0.0.1:" + std::to_string(port_of(listening_)) +
           "/locks";
  }
  // Then it ends.
  std::string heard() {
    thread_ = {};
    return heard_;
  }

 private:
  const Socket listening_ = listen_loopback();
  std::string heard_;
  std::jthread thread_;
};

// The server asks for the password itself instead of a proof that the client knows it.
TEST(MysqlFalseServer, AsksForThePassword) {
  FalseServer thief({greeting("mysql_clear_password")});
  const Failure failure = first_failure(thief.url());
  EXPECT_THAT(thief.heard(), Not(HasSubstr("c4n4ry"))) << failure.message();
  EXPECT_THAT(failure.message(), Not(HasSubstr("c4n4ry")));
}

TEST(MysqlFalseServer, AsksForAFile) {
  const TempDir dir;
  std::ofstream(dir.file("secret")) << "c4n4ry";
  FalseServer thief({greeting("mysql_native_password"), kWelcome,
                     packet(1, "\xfb" + dir.file("secret"))});
  const Failure failure = first_failure(thief.url());
  const std::string heard = thief.heard();
  EXPECT_THAT(heard, HasSubstr("SET ")) << "it logged in: " << failure.message();
  EXPECT_THAT(heard, Not(HasSubstr("c4n4ry")));
}

}  // namespace
}  // namespace holdfast::test
