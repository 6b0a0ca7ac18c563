// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <type_traits>

#include "demo.h"
#include "errors.h"
#include "lock.h"
#include "process.h"
#include "report.h"
#include "stand.h"

namespace holdfast::demo {
namespace {

int exit_code(std::error_code code) {
  if (code == Errc::bad_url || code == Errc::no_engine) return kConfig;
  if (code == Errc::denied) return kDenied;
  if (code == Errc::full) return kCannotCreate;
  return kUnavailable;
}

std::string scheme(const std::string& url) { return url.substr(0, url.find(':')); }

void run(const Options& options) {
  catch_interrupts();
  const TempDir dir;
  const bool own_segment = options.url.empty();
  const std::string store =
      options.in_mysql() ? options.store : dir.path() + "/stock.db";
  const std::string url =
      own_segment ? "local://" + dir.path() + "/locks" : options.url;
  setenv("HOLDFAST_URL", url.c_str(), 1);
  setenv(kStoreVariable, store.c_str(), 1);
  const Client client = open_client();  // Problems are reported before the sale.
  const Sale sale(store);

  Narrator say(options.json ? stderr : stdout, options.in_mysql());
  Report report;
  report.options = options;
  report.options.lock = new_lock_name();
  report.warnings = client.session().warnings();
  say.opening(options, own_segment ? "a local segment of its own" : scheme(url),
              report.warnings);
  for (int i = 0; i < static_cast<int>(kStrategies.size()); ++i) {
    say.begin_sale(i);
    report.sales.push_back(run_sale(report.options, store, i));
    say.end_sale(i, report.sales.back());
  }
  const auto price = price_of(client, report.options.lock + "/price");
  report.price_us = std::chrono::duration<double, std::micro>(price).count();
  say.price(report.price_us);
  say.table(report.sales);
  say.begin_crash();
  report.crash = run_crash(report.options, store);
  say.end_crash(report.crash);
  say.begin_pause();
  report.pause = run_pause(report.options, store);
  say.end_pause(report.pause);
  if (options.json) {
    print_json(stdout, report);
  } else {
    say.closing();
  }
  if (report.sales[kHoldfast].oversold != 0 || !report.crash.exact() ||
      report.pause.shown != report.pause.refused) {
    throw Trouble(kInternal, "the Holdfast lock did not keep its promise");
  }
}

int guarded(const std::function<void()>& body) {
  try {
    body();
    return 0;
  } catch (const Trouble& e) {
    std::cerr << "holdfast demo: " << e.what() << '\n';
    return e.exit_code();
  } catch (const Error& e) {
    std::cerr << "holdfast demo: " << e.failure().message() << '\n';
    return exit_code(e.code());
  } catch (const std::exception& e) {
    std::cerr << "holdfast demo: " << e.what() << '\n';
    return kCannotCreate;
  }
}

// Returns nothing to go on, or the exit code.
std::optional<int> parse(CLI::App& app, std::vector<std::string> args) {
  try {
    std::reverse(args.begin(), args.end());  // CLI11 expects the reverse order.
    app.parse(args);
    return std::nullopt;
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "holdfast demo: " << e.what() << "; see holdfast demo --help\n";
    return kUsage;
  }
}

// This is the main function of a process that the demo itself has started.
int shop_main(const std::vector<std::string>& args) {
  CLI::App app("One shop of the flash sale", "holdfast demo shop");
  ShopOptions shop;
  app.add_option("--store", shop.store)->envname(kStoreVariable)->required();
  app.add_option("--lock", shop.lock)->required();
  app.add_option("--number", shop.number);
  app.add_option("--strategy", shop.strategy);
  app.add_option("--threads", shop.threads);
  app.add_option("--requests", shop.requests);
  app.add_option("--cap", shop.cap_s);
  app.add_option("--hold-after", shop.hold_after);
  app.add_flag("--crash-scene", shop.crash_scene);
  app.add_flag("--pause-scene", shop.pause_scene);
  if (const auto code = parse(app, args)) return *code;
  return guarded([&] {
    if (shop.crash_scene) return run_crash_shop(shop);
    return shop.pause_scene ? run_pause_shop(shop) : run_shop(shop);
  });
}

template <class T>
void add_number(CLI::App& app, const std::string& name, T& value, T most,
                const std::string& help) {
  const T least = std::is_integral_v<T> ? T{1} : static_cast<T>(0.1);
  app.add_option(name, value, help)
      ->check(CLI::Range(least, most).description(""))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

int main(std::vector<std::string> args) {
  if (!args.empty() && args[0] == "shop")
    return shop_main({args.begin() + 1, args.end()});
  CLI::App app("A flash sale, six ways: who sells more than there is?",
               "holdfast demo");
  Options options;
  add_number(app, "--stock", options.stock, 1'000'000, "items on the shelf");
  add_number(app, "--shops", options.shops, 64, "processes");
  add_number(app, "--threads", options.threads, 256, "threads in each shop");
  add_number(app, "--seconds-per-strategy", options.cap_s, 600.0,
             "ends a strategy that takes longer");
  app.add_option("--url", options.url, "engine of the lock; default: a local segment")
      ->envname("HOLDFAST_URL")
      ->type_name("URL");
  app.add_option("--store", options.store,
                 "where the stock is: mysql://user@host/database; default: SQLite")
      ->envname(kStoreVariable)
      ->type_name("URL");
  app.add_flag("--json", options.json, "one JSON object on stdout, progress on stderr");
  if (const auto code = parse(app, std::move(args))) return *code;
  return guarded([&] {
    if (options.in_mysql() && !options.store.starts_with("mysql://")) {
      throw Trouble(kConfig, "--store wants mysql://user@host/database");
    }
    run(options);
  });
}

}  // namespace holdfast::demo

int holdfast_demo_v0(const std::vector<std::string>& args) {
  return holdfast::demo::main(args);
}
