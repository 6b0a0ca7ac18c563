// SPDX-License-Identifier: Apache-2.0

// shop/main.cc - the program holdfast-shop.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "errors.h"
#include "holdfast/result.h"
#include "report/table.h"
#include "sale/sale.h"
#include "scenes/scene.h"
#include "servers/temp_dir.h"
#include "service/service.h"

namespace holdfast::shop {
namespace {

const std::map<std::string, Store> kStoreNames = {
    {"sqlite", Store::sqlite}, {"mysql", Store::mysql}, {"redis", Store::redis}};

struct Options {
  std::vector<std::string> strategies;  // empty: all
  std::vector<std::string> engines;     // empty: all
  SaleOptions sale;
  double seconds = 8;
  bool no_scenes = false;
  bool json = false;
};

template <class T>
bool has(const std::vector<std::string>& words, const T& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// --engines chooses among Holdfast's strategies, whatever --strategies says of the
// rest.
std::vector<const StrategyInfo*> chosen(const Options& options) {
  for (const std::string& name : options.strategies) strategy_named(name);
  std::vector<const StrategyInfo*> list;
  for (const StrategyInfo& each : strategies()) {
    const bool named = options.strategies.empty() || has(options.strategies, each.name);
    const bool engine = each.engine.empty() || options.engines.empty() ||
                        has(options.engines, each.engine);
    if (named && engine) list.push_back(&each);
  }
  if (list.empty())
    throw Trouble(kUsage, "no strategy is left; see holdfast-shop --help");
  return list;
}

bool as_it_should_be(const SaleResult& sale) {
  return sale.oversold == 0 || sale.strategy->oversells;
}

std::vector<SaleResult> run_sales(const Options& options, std::FILE* out,
                                  Servers& servers, const std::string& dir) {
  const auto list = chosen(options);
  print_head(out, options.sale);
  std::vector<SaleResult> sales;
  for (const StrategyInfo* strategy : list) {
    sales.push_back(run_sale(servers, dir, *strategy, options.sale,
                             [](const LoadResult&) { throw_if_interrupted(); }));
    print_row(out, sales.back(), options.sale);
  }
  return sales;
}

std::vector<SceneResult> play_all(const Options& options, std::FILE* out,
                                  Servers& servers, const std::string& dir) {
  std::vector<SceneResult> played;
  if (options.no_scenes) return played;
  std::fprintf(out, "\nThe holes of the home-made locks, each on a real server:\n\n");
  for (const Scene& scene : scenes()) {
    played.push_back(play(scene, servers, options.sale.program, dir));
    print_scene(out, played.back());
  }
  return played;
}

void run_all(const Options& options) {
  catch_interrupts();
  const TempDir dir;
  Servers servers(dir.path());
  std::FILE* const out = options.json ? stderr : stdout;
  const auto sales = run_sales(options, out, servers, dir.path());
  const auto played = play_all(options, out, servers, dir.path());
  if (options.json) print_json(stdout, sales, played, options.sale);
  if (!std::all_of(sales.begin(), sales.end(), as_it_should_be)) {
    throw Trouble(kInternal, "a strategy that should not oversell did");
  }
  if (!std::all_of(played.begin(), played.end(),
                   [](const SceneResult& each) { return each.holdfast_whole; })) {
    throw Trouble(kInternal, "a lock of Holdfast did not keep its promise");
  }
}

int guarded(const std::function<void()>& body) {
  try {
    body();
    return 0;
  } catch (const Trouble& e) {
    std::cerr << "holdfast-shop: " << e.what() << '\n';
    return e.exit_code();
  } catch (const Error& e) {
    std::cerr << "holdfast-shop: " << e.failure().message() << '\n';
    return kUnavailable;
  } catch (const std::exception& e) {
    std::cerr << "holdfast-shop: " << e.what() << '\n';
    return kUnavailable;
  }
}

void add_number(CLI::App& app, const std::string& name, int& value, int most,
                const std::string& help) {
  app.add_option(name, value, help)
      ->check(CLI::Range(1, most).description(""))
      ->type_name("N")
      ->capture_default_str();
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--strategies", options.strategies,
                 "which, as in no-lock,v5; default: all")
      ->delimiter(',')
      ->type_name("NAME,...");
  app.add_option("--engines", options.engines,
                 "of Holdfast, as in local,redis; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember({"local", "redis", "zookeeper", "etcd", "mysql", "quorum"})
                  .description(""))
      ->type_name("NAME,...");
  add_number(app, "--services", options.sale.services, 16, "services behind nginx");
  add_number(app, "--users", options.sale.users, 400, "who buy at the same time");
  add_number(app, "--requests", options.sale.requests, 100'000, "of each user");
  add_number(app, "--stock", options.sale.stock, 10'000'000, "items on the shelf");
  app.add_option("--store", options.sale.store, "sqlite, mysql or redis")
      ->transform(CLI::CheckedTransformer(kStoreNames).description(""))
      ->type_name("NAME")
      ->default_str("sqlite");
  app.add_option("--seconds", options.seconds, "ends a strategy that takes longer")
      ->check(CLI::Range(0.1, 600.0).description(""))
      ->type_name("S")
      ->capture_default_str();
  app.add_flag("--direct", options.sale.direct, "without nginx, to one service");
  app.add_flag("--no-scenes", options.no_scenes, "the sales alone");
  app.add_flag("--json", options.json, "one document on stdout, the table on stderr");
}

int run(int argc, char** argv) {
  CLI::App app("A flash sale by real services: which locks oversell?", "holdfast-shop");
  Options options;
  add_options(app, options);
  ServiceOptions service;
  CLI::App* const verb = app.add_subcommand("service", "")->group("");
  verb->add_option("--strategy", service.strategy);
  verb->add_option("--store", service.store)
      ->transform(CLI::CheckedTransformer(kStoreNames));
  verb->add_option("--number", service.number);
  std::string part;
  std::string go;
  CLI::App* const act = app.add_subcommand("act", "")->group("");
  act->add_option("part", part)->required();
  act->add_option("--go", go);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "holdfast-shop: " << e.what() << "; see holdfast-shop --help\n";
    return kUsage;
  }
  options.sale.program = std::filesystem::read_symlink("/proc/self/exe");
  options.sale.limit =
      std::chrono::milliseconds(static_cast<int>(options.seconds * 1000));
  return guarded([&] {
    if (verb->parsed()) return run_service(service);
    return act->parsed() ? play_part(part, go) : run_all(options);
  });
}

}  // namespace
}  // namespace holdfast::shop

int main(int argc, char** argv) { return holdfast::shop::run(argc, argv); }
