// SPDX-License-Identifier: Apache-2.0

// shop/main.cc - the program holdfast-shop.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "errors.h"
#include "holdfast/result.h"
#include "http/server.h"
#include "live/board.h"
#include "live/try_out.h"
#include "live/watcher.h"
#include "page/face.h"
#include "peers/peers.h"
#include "report/document.h"
#include "report/json.h"
#include "report/table.h"
#include "sale/opened.h"
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
  std::vector<std::string> peers;
  SaleOptions sale;
  double seconds = 8;
  std::uint16_t port = 0;  // of the page; 0: a free one
  std::string report;      // a path; empty: none
  bool keep = false;
  std::vector<std::string> scenes;  // empty: all
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
  for (const StrategyInfo& each : peer_strategies()) {
    if (has(options.peers, each.peer)) list.push_back(&each);
  }
  if (list.empty())
    throw Trouble(kUsage, "no strategy is left; see holdfast-shop --help");
  return list;
}

bool as_it_should_be(const SaleResult& sale) {
  return sale.oversold == 0 || sale.strategy->oversells;
}

void run_sales(const Options& options, std::FILE* out, Servers& servers,
               const std::string& dir, Board& board) {
  print_head(out, options.sale);
  for (const StrategyInfo* strategy : board.run().plan) {
    SaleResult sale;
    {
      Watcher watcher(board);
      sale = run_sale(servers, dir, *strategy, options.sale, watcher.observer());
    }
    print_row(out, sale, options.sale);
    board.end_sale(std::move(sale));
  }
}

void print_ratios(const Options& options, std::FILE* out, const Run& run) {
  for (const std::string& peer : options.peers) {
    std::fprintf(out, "\nHoldfast answers %.2f requests for each one of %s.\n",
                 ratio_to(peer, run.sales), peer.c_str());
  }
}

void play_all(const Options& options, std::FILE* out, Servers& servers,
              const std::string& dir, Board& board) {
  if (options.no_scenes) return;
  board.turn(Phase::playing);
  std::fprintf(out, "\nThe holes of the home-made locks, each on a real server:\n\n");
  for (const Scene& scene : scenes()) {
    if (!options.scenes.empty() && !has(options.scenes, scene.name)) continue;
    const SceneResult played = play(scene, servers, options.sale.program, dir);
    board.add(played);
    print_scene(out, played);
  }
}

// Before the run, a path that cannot be written to costs no time.
void expect_writable(const std::string& path) {
  if (!path.empty() && !std::ofstream(path, std::ios::app)) {
    throw Trouble(kCannotCreate, "cannot write the report to " + path +
                                     "; name another file with --report");
  }
}

void write_report(const std::string& path, std::FILE* out, const Run& run) {
  if (path.empty()) return;
  if (!(std::ofstream(path) << report_html(run)).flush()) {
    throw Trouble(kCannotCreate, "cannot write the report to " + path);
  }
  std::fprintf(out, "\nThe report: %s\n", path.c_str());
}

// The shop that stays: on Redis, as in the literature, or on an engine of this run.
const StrategyInfo& strategy_to_keep(const std::vector<const StrategyInfo*>& plan) {
  const StrategyInfo* kept = nullptr;
  for (const StrategyInfo* each : plan) {
    if (each->engine == "redis" || (kept == nullptr && !each->engine.empty())) {
      kept = each;
    }
  }
  return kept != nullptr ? *kept : strategy_named("holdfast-local");
}

// Returns when the shop is interrupted.
void keep_open(const Options& options, std::FILE* out, Servers& servers,
               const std::string& dir, Board& board, Face& face) {
  const StrategyInfo& strategy = strategy_to_keep(board.run().plan);
  OpenedShop shop(servers, dir, strategy, options.sale);
  TryOut tries(shop.port());
  face.set_tries(&tries);
  board.turn(Phase::kept);
  std::fprintf(out,
               "\nThe shop stays open, with %s, at http://127.0.0.1:%u/ (POST "
               "/stock/deduct sells). Ctrl-C closes it.\n",
               std::string(strategy.name).c_str(), shop.port());
  std::fflush(out);
  await_interrupt();
  face.set_tries(nullptr);
  shop.close();
}

void judge(const Run& run) {
  if (!std::all_of(run.sales.begin(), run.sales.end(), as_it_should_be)) {
    throw Trouble(kInternal, "a strategy that should not oversell did");
  }
  if (!std::all_of(run.played.begin(), run.played.end(),
                   [](const SceneResult& each) { return each.holdfast_whole; })) {
    throw Trouble(kInternal, "a lock of Holdfast did not keep its promise");
  }
}

void run_all(const Options& options, const std::string& command) {
  expect_writable(options.report);
  catch_interrupts();
  for (const std::string& peer : options.peers) check_peer(peer);
  const TempDir dir;
  Servers servers(dir.path());
  std::FILE* const out = options.json ? stderr : stdout;
  Board board({.command = command,
               .machine = this_machine(),
               .options = options.sale,
               .plan = chosen(options)});
  Face face(board);
  HttpServer page(options.port, [&]() -> HttpHandler {
    return [&](const HttpRequest& request) { return face.answer(request); };
  });
  std::fprintf(out, "The page: http://127.0.0.1:%u/\n\n", page.port());
  run_sales(options, out, servers, dir.path(), board);
  print_ratios(options, out, board.run());
  play_all(options, out, servers, dir.path(), board);
  const Run run = board.run();
  write_report(options.report, out, run);
  if (options.json) std::fputs(result_json(run).c_str(), stdout);
  std::fflush(stdout);
  if (options.keep) {
    keep_open(options, out, servers, dir.path(), board, face);
  } else {
    board.turn(Phase::over);
    face.await_last_look();
  }
  judge(run);
}

// Returns the command as a shell would read it.
std::string command_of(int argc, char** argv) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+,./:@%";
  std::string command = "holdfast-shop";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain =
        !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    command += plain ? " " + word : " '" + word + "'";
  }
  return command;
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

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const Scene& scene : scenes()) names.emplace_back(scene.name);
  return names;
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
  app.add_option("--peers", options.peers,
                 "sells beside Holdfast's services: redisson, which needs Java")
      ->delimiter(',')
      ->check(CLI::IsMember(kPeerNames).description(""))
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
  app.add_option("--scenes", options.scenes, "which, as in v2-crash; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(scene_names()).description(""))
      ->type_name("NAME,...");
  app.add_flag("--no-scenes", options.no_scenes, "the sales alone");
  app.add_option("--port", options.port, "of the page; default: a free one")
      ->type_name("N");
  app.add_option("--report", options.report, "the whole run as one page of HTML")
      ->type_name("FILE")
      ->take_last();
  app.add_flag("--keep", options.keep, "leave the shop open, to play with by the page");
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
    return act->parsed() ? play_part(part, go)
                         : run_all(options, command_of(argc, argv));
  });
}

}  // namespace
}  // namespace holdfast::shop

int main(int argc, char** argv) { return holdfast::shop::run(argc, argv); }
