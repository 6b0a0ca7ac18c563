// SPDX-License-Identifier: Apache-2.0

// shop/page/face.h - the run's HTTP face: the page, and what it asks for.
//
//   GET /  /page.css  /page.js  /icon.svg   the page
//   GET /run.json                   command, machine and plan
//   GET /state.json?from=N          how far the run is, with the moments from N on
//   GET /result.json                what --json prints
//   GET /report                     what --report writes
//   GET /try.json                   who is in and who waits, in a shop that was kept
//   POST /try/semaphore?times=10    ten requests for /test/semaphore
//
// It answers to 127.0.0.1 and localhost only, so that no page of another site can reach
// it by a name of its own.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "http/server.h"
#include "live/board.h"
#include "live/try_out.h"

namespace holdfast::shop {

// It is safe for concurrent use.
class Face {
 public:
  explicit Face(const Board& board) : board_(board) {}

  HttpResponse answer(const HttpRequest& request);

  // `tries` may be null. It is not used any more when this returns.
  void set_tries(TryOut* tries);

  // Gives a page that is open in a browser the time to fetch the end of the run.
  void await_last_look();

 private:
  using Clock = std::chrono::steady_clock;

  HttpResponse get(const std::string& path, const std::string& query);
  HttpResponse try_out(const std::string& what, const std::string& query);

  const Board& board_;
  std::mutex tries_mutex_;
  TryOut* tries_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point last_look_;
  bool ending_ = false;
  bool fetched_ = false;  // the result, since then
  bool seen_ = false;     // It has arrived.
};

}  // namespace holdfast::shop
