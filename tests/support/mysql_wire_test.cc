// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "support/fault_wire.h"

namespace holdfast::test {
namespace {

std::string octet(std::size_t value) {
  return std::string(1, static_cast<char>(value));
}

std::string packet(std::size_t number, const std::string& rest) {
  return octet(rest.size()) + octet(0) + octet(0) + octet(number) + rest;
}

const std::string kOk("\0\0\0\2\0\0\0", 7);
const std::string kGreeting = packet(0, "\x0a 10.11");

class MysqlWire : public testing::Test {
 protected:
  void sign_on() {
    EXPECT_FALSE(wire_->reply(kGreeting)->id);
    EXPECT_EQ(wire_->request(packet(1, "login"))->word, "sign_on");
    EXPECT_FALSE(wire_->reply(packet(2, kOk))->id);
  }
  Request ask(const std::string& command) {
    return wire_->request(packet(0, command)).value();
  }

  const std::unique_ptr<Wire> wire_ = make_mysql_wire();
};

TEST_F(MysqlWire, LetsASignOnPass) {
  EXPECT_FALSE(wire_->reply(kGreeting.substr(0, 3)));
  EXPECT_FALSE(wire_->reply(kGreeting.substr(0, 5)));
  EXPECT_EQ(wire_->reply(kGreeting)->size, kGreeting.size());
  EXPECT_FALSE(wire_->request(packet(1, "\x03login"))->is_call);
  EXPECT_FALSE(wire_->reply(packet(2, "\xfeother_plugin"))->id);
  EXPECT_EQ(wire_->request(packet(3, ""))->word, "sign_on") << "an empty password";
  EXPECT_FALSE(wire_->reply(packet(4, kOk))->id);
  EXPECT_EQ(ask("\x0e").word, "ping");
}

TEST_F(MysqlWire, TellsCallsFromTheRest) {
  sign_on();
  EXPECT_FALSE(ask("\x03SET time_zone = '+00:00'").is_call);
  EXPECT_FALSE(ask("\x16SELECT 1").is_call);
  EXPECT_TRUE(ask("\x17\1").is_call);
  EXPECT_EQ(ask("\x17\1").word, "execute");
  EXPECT_FALSE(ask("\x1c").is_call);
}

TEST_F(MysqlWire, KnowsWhoseAnswerItIs) {
  sign_on();
  const auto first = ask("\x16SELECT 1").id;
  const auto second = ask("\x17\1").id;  // It is sent before the first is answered.
  ASSERT_TRUE(first && second);
  EXPECT_EQ(wire_->reply(packet(1, kOk))->id, first);
  EXPECT_FALSE(wire_->reply(packet(2, "column"))->id);
  EXPECT_EQ(wire_->reply(packet(1, kOk))->id, second);
}

TEST_F(MysqlWire, ReadsLongAnswers) {
  sign_on();
  const auto all = ask("\x17\1").id;
  EXPECT_EQ(wire_->reply(packet(1, "\x01"))->id, all);
  // Packet numbers have one byte and wrap around.
  for (std::size_t i = 2; i < 600; ++i) {
    EXPECT_FALSE(wire_->reply(packet(i, "row"))->id);
  }
  const auto next = ask("\x17\1").id;
  EXPECT_EQ(wire_->reply(packet(1, kOk))->id, next);
}

TEST_F(MysqlWire, ExpectsNoAnswerToWhatHasNone) {
  sign_on();
  EXPECT_FALSE(ask("\x19\1").id);
  EXPECT_FALSE(ask("\x18\1").id);
  EXPECT_FALSE(ask("\x01").id);
  const auto next = ask("\x17\1").id;
  EXPECT_EQ(wire_->reply(packet(1, kOk))->id, next);
}

TEST_F(MysqlWire, RefusesWhatIsNot) {
  sign_on();
  EXPECT_THROW(wire_->request(packet(0, "")), std::runtime_error);
}

}  // namespace
}  // namespace holdfast::test
