// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "support/fault_wire.h"
#include "support/http2_headers.h"

namespace holdfast::test {
namespace {

const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string byte(std::size_t value) { return std::string(1, static_cast<char>(value)); }

std::string text(const std::string& value) { return byte(value.size()) + value; }

// A field is sent unindexed, to be remembered, or by its number.
std::string plain(const std::string& name, const std::string& value) {
  return byte(0) + text(name) + text(value);
}
std::string kept(const std::string& name, const std::string& value) {
  return byte(0x40) + text(name) + text(value);
}
std::string known(std::size_t index) { return byte(0x80 + index); }

std::string frame(std::size_t type, std::size_t flags, std::size_t stream,
                  const std::string& rest) {
  return byte(0) + byte(rest.size() >> 8) + byte(rest.size() & 0xff) + byte(type) +
         byte(flags) + byte(0) + byte(0) + byte(0) + byte(stream) + rest;
}
std::string headers(std::size_t stream, const std::string& block) {
  return frame(1, 4, stream, block);
}

TEST(Http2Headers, FindTheirPath) {
  Http2Headers headers;
  EXPECT_EQ(headers.path_of(known(3) + known(6) + plain(":path", "/a")), "/a");
  EXPECT_EQ(headers.path_of(byte(0x04) + text("/by/its/name")), "/by/its/name");
  EXPECT_EQ(headers.path_of(plain("te", "trailers")), "");
}

TEST(Http2Headers, RememberTheLatestFirst) {
  Http2Headers headers;
  headers.path_of(kept(":path", "/a") + kept("te", "trailers"));
  EXPECT_EQ(headers.path_of(known(63)), "/a");
  EXPECT_EQ(headers.path_of(kept(":path", "/b") + known(62)), "/b");
  EXPECT_EQ(headers.path_of(known(64)), "/a");
}

TEST(Http2Headers, ForgetWhatNoLongerFits) {
  Http2Headers headers;
  headers.path_of(kept(":path", "/a"));
  for (int i = 0; i < 40; ++i) headers.path_of(kept("t", std::string(80, 'x')));
  EXPECT_THROW(headers.path_of(known(62 + 40)), std::runtime_error);
  EXPECT_EQ(headers.path_of(byte(0x20) + kept(":path", "/b")), "/b");
  EXPECT_THROW(headers.path_of(known(62)), std::runtime_error) << "a table of nothing";
}

TEST(Http2Headers, ReadLongStrings) {
  const std::string path = "/" + std::string(298, 'x');
  Http2Headers headers;
  const std::string block =
      byte(0) + text(":path") + byte(127) + byte(0x80 | 44) + byte(1) + path;
  EXPECT_EQ(headers.path_of(block), path);
  EXPECT_THROW(headers.path_of(block.substr(0, 20)), std::runtime_error);
}

TEST(Http2Wire, TellsCallsFromTheRest) {
  const auto wire = make_http2_wire();
  EXPECT_FALSE(wire->request(kPreface.substr(0, 10)));
  EXPECT_EQ(wire->request(kPreface)->size, kPreface.size());

  const std::string settings = frame(4, 0, 0, "");
  EXPECT_FALSE(wire->request(settings.substr(0, 8)));
  EXPECT_FALSE(wire->request(settings)->id);

  const std::string call = headers(1, kept(":path", "/etcdserverpb.KV/Txn"));
  EXPECT_FALSE(wire->request(call.substr(0, call.size() - 1)));
  const auto txn = wire->request(call + settings).value();
  EXPECT_EQ(txn.size, call.size());
  EXPECT_EQ(txn.id, 1);
  EXPECT_EQ(txn.word, "Txn");
  EXPECT_TRUE(txn.is_call);

  const auto watch =
      wire->request(headers(3, plain(":path", "/etcdserverpb.Watch/Watch"))).value();
  EXPECT_EQ(watch.word, "Watch");
  EXPECT_FALSE(watch.is_call);
  EXPECT_TRUE(wire->request(headers(5, known(62)))->is_call);
}

TEST(Http2Wire, ReadsABlockInSeveralFrames) {
  const auto wire = make_http2_wire();
  wire->request(kPreface);
  const std::string block = plain(":path", "/etcdserverpb.KV/Put");
  const std::string padded = byte(2) + std::string(5, 'p') + block.substr(0, 5) + "..";
  const std::string first = frame(1, 0x28, 1, padded);
  EXPECT_FALSE(wire->request(first));
  const std::string all = first + frame(9, 4, 1, block.substr(5));
  const auto put = wire->request(all).value();
  EXPECT_EQ(put.size, all.size());
  EXPECT_EQ(put.word, "Put");
}

TEST(Http2Wire, KnowsWhoseReplyItIs) {
  const auto wire = make_http2_wire();
  EXPECT_FALSE(wire->reply(frame(4, 0, 0, ""))->id);
  EXPECT_EQ(wire->reply(headers(7, "\x88"))->id, 7);
  EXPECT_FALSE(wire->reply(frame(0, 0, 7, "data"))->id);
}

TEST(Http2Wire, RefusesWhatIsNot) {
  EXPECT_THROW(make_http2_wire()->request("GET / HTTP/1.1\r\nHost: a\r\n"),
               std::runtime_error);
}

}  // namespace
}  // namespace holdfast::test
