// SPDX-License-Identifier: Apache-2.0

#include "page/face.h"

#include <charconv>

#include "page/files.h"
#include "report/document.h"
#include "report/json.h"

namespace holdfast::shop {
namespace {

constexpr std::chrono::seconds kWatching{2};

// The report carries its style with it, and no script.
constexpr const char* kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
    "'none'; frame-ancestors 'none'";

HttpResponse plain_text(int status, const std::string& sentence) {
  return {
      .status = status, .type = "text/plain; charset=utf-8", .body = sentence + "\n"};
}

HttpResponse file(const char* type, std::string_view text) {
  return {.type = std::string(type) + "; charset=utf-8", .body = std::string(text)};
}

// Returns the number behind `key` in a query, or `otherwise`.
std::size_t number_in(const std::string& query, const std::string& key,
                      std::size_t otherwise) {
  std::size_t number = otherwise;
  if (query.starts_with(key + "=")) {
    const char* const start = query.data() + key.size() + 1;
    std::from_chars(start, query.data() + query.size(), number);
  }
  return number;
}

bool is_ours(const HttpRequest& request) {
  const std::string name = request.host.substr(0, request.host.find(':'));
  return (name == "127.0.0.1" || name == "localhost") &&
         (request.origin.empty() || request.origin == "http://" + request.host);
}

}  // namespace

HttpResponse Face::answer(const HttpRequest& request) {
  if (!is_ours(request)) {
    return plain_text(403, "this page is for 127.0.0.1 and localhost only");
  }
  const std::size_t mark = request.target.find('?');
  const std::string path = request.target.substr(0, mark);
  const std::string query =
      mark == request.target.npos ? "" : request.target.substr(mark + 1);
  constexpr std::string_view kTry = "/try/";
  if (path.starts_with(kTry)) {
    if (request.method != "POST") return plain_text(405, "use POST");
    return try_out(path.substr(kTry.size()), query);
  }
  if (request.method != "GET") return plain_text(405, "use GET");
  return get(path, query);
}

HttpResponse Face::get(const std::string& path, const std::string& query) {
  if (path == "/") return file("text/html", kPageHtml);
  if (path == "/page.css") return file("text/css", kPageCss);
  if (path == "/page.js") return file("text/javascript", kPageJs);
  if (path == "/icon.svg") return file("image/svg+xml", kIconSvg);
  if (path == "/run.json") return {.body = board_.told(run_json)};
  if (path == "/report") {
    return {.type = "text/html; charset=utf-8",
            .body = report_html(board_.run()),
            .policy = kReportPolicy};
  }
  if (path == "/try.json") {
    const std::scoped_lock lock(tries_mutex_);
    return {.body = tries_ != nullptr ? tries_->state_json() : "null\n"};
  }
  if (path != "/state.json" && path != "/result.json") {
    return plain_text(404, "there is no such page");
  }
  HttpResponse response{.body = path == "/state.json"
                                    ? board_.state_json(number_in(query, "from", 0))
                                    : board_.told(result_json)};
  const std::scoped_lock lock(mutex_);
  last_look_ = Clock::now();
  // A state after the result proves that the result has arrived.
  if (path == "/result.json") fetched_ = ending_;
  seen_ = seen_ || (fetched_ && path == "/state.json");
  changed_.notify_all();
  return response;
}

HttpResponse Face::try_out(const std::string& what, const std::string& query) {
  const std::scoped_lock lock(tries_mutex_);
  if (tries_ == nullptr) return plain_text(409, "the shop is not kept open");
  const auto times = static_cast<int>(number_in(query, "times", 1) % 1000);
  return tries_->send(what, times) ? HttpResponse{}
                                   : plain_text(400, "there is no room for that");
}

void Face::set_tries(TryOut* tries) {
  const std::scoped_lock lock(tries_mutex_);
  tries_ = tries;
}

void Face::await_last_look() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  if (last_look_ + kWatching < Clock::now()) return;
  changed_.wait_for(lock, kWatching, [this] { return seen_; });
}

}  // namespace holdfast::shop
