// SPDX-License-Identifier: Apache-2.0

// shop/load/answer.h - how far an HTTP response has arrived.
//
//   Answer answer = read_answer(bytes);
//   if (answer.length != 0 && answer.status == 200) ... bytes.substr(0, answer.length)
//
// It reads what nginx and the shop send: a status line, headers and a Content-Length.

#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::shop {

struct Answer {
  bool broken = false;     // This is no such response.
  std::size_t length = 0;  // of the whole response; 0: more bytes are needed
  int status = 0;
  bool keep_alive = true;
  std::string_view body;
};

Answer read_answer(std::string_view bytes);

}  // namespace holdfast::shop
