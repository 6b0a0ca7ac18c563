// SPDX-License-Identifier: Apache-2.0

#include "report/engines.h"

#include <algorithm>
#include <array>

#include "report/row.h"
#include "report/text.h"

namespace holdfast::shop {
namespace {

// What a run does not measure. docs/guarantees.md and docs/engines/ say it at length.
struct EngineFacts {
  std::string_view engine;
  std::string_view crash;
  std::string_view pause;
  std::string_view failover;
  std::string_view order;
  std::string_view operate;
};

constexpr std::array<EngineFacts, 6> kEngineFacts = {{
    {"local", "the lock passes on when the process has ended, after 2 s at most",
     "the holder keeps the lock, however long it stands still",
     "there is no server; a reboot ends every claim, and tokens go on growing",
     "nearly: a running thread may be first for 150 µs", "nothing; one host only"},
    {"redis", "the lock is free when its lease is over",
     "the lease ends, and the token refuses the late write",
     "a promoted replica may lack the lock; tokens grow all the same",
     "a release hands over to the client that has waited longest",
     "one Redis server, or one with replicas"},
    {"zookeeper", "the lock is free when the session is over",
     "the session ends, and the token refuses the late write",
     "every grant is on a majority of disks, with three servers or more",
     "yes, by process", "an ensemble of three, with Java"},
    {"etcd", "the lock is free when the client's lease is over",
     "the lease ends, and the token refuses the late write",
     "every grant is on a majority of disks, with three servers or more",
     "yes, by process", "a cluster of three"},
    {"mysql", "the lock is free when its lease is over",
     "the lease ends, and the row itself can refuse the old token",
     "a promoted replica may lack the lock; tokens grow all the same",
     "no: a free lock goes to the client that asks first; FairMutex is in order",
     "the database that you have already"},
    {"quorum", "the lock is free when its lease is over",
     "the lease ends; there is no token, so a late write is not refused",
     "the lock outlives the loss of a minority of the servers", "no",
     "three or five Redis servers that know nothing of each other"},
}};

const EngineFacts* facts_of(std::string_view engine) {
  for (const EngineFacts& each : kEngineFacts) {
    if (each.engine == engine) return &each;
  }
  return nullptr;
}

std::string term(const char* name, std::string_view text) {
  return std::string("<dt>") + name + "</dt><dd>" + html_text(text) + "</dd>";
}

std::string figure(const std::string& number, const char* unit, const char* what) {
  return "<div><b>" + number + "</b> " + unit + "<span>" + what + "</span></div>";
}

std::string card(const SaleResult& sale, const EngineFacts& facts, int users) {
  const Row row = row_of(sale, users);
  return "<article class=\"engine\"><h3>" + html_text(facts.engine) +
         "</h3><div class=\"figures\">" +
         figure(ms_text(row.alone_median), "ms", "one user, median") +
         figure(grouped(row.throughput), "/s", "all users, purchases") +
         figure(ms_text(row.p99), "ms", "all users, p99") + "</div><dl>" +
         term("Crash", facts.crash) + term("Pause", facts.pause) +
         term("Failover", facts.failover) + term("Order of arrival", facts.order) +
         term("To operate", facts.operate) + "</dl></article>\n";
}

// Returns the engines' names, the best first, with the figure of each in brackets.
template <class Better, class Tell>
std::string ranking(std::vector<const SaleResult*> sales, Better better, Tell tell) {
  std::sort(sales.begin(), sales.end(), better);
  std::string text;
  for (const SaleResult* sale : sales) {
    text += (text.empty() ? "" : ", ") + html_text(sale->strategy->engine) + " (" +
            tell(*sale) + ")";
  }
  return text;
}

double alone(const SaleResult& sale) { return in_ms(sale.alone.percentile(50)); }

std::string rankings(const std::vector<const SaleResult*>& sales) {
  return "<p>Quickest for one user: " +
         ranking(
             sales, [](const auto* a, const auto* b) { return alone(*a) < alone(*b); },
             [](const SaleResult& sale) { return ms_text(alone(sale)) + " ms"; }) +
         ".<br>Most purchases in a second when all users come at once: " +
         ranking(
             sales,
             [](const auto* a, const auto* b) {
               return a->load.per_second() > b->load.per_second();
             },
             [](const SaleResult& sale) {
               return grouped(sale.load.per_second()) + " /s";
             }) +
         ".</p>\n";
}

// What the database does by itself, where the run has it, is the yardstick.
std::string advice(const Run& run) {
  for (const SaleResult& sale : run.sales) {
    if (sale.strategy->name != "one-sql") continue;
    return "<p>One statement of SQL needs no lock and sold " +
           grouped(sale.load.per_second()) +
           " /s here: where one row says it all, take that. Otherwise take the engine "
           "that you already run; a lock that fails together with its data adds no new "
           "failure.</p>\n";
  }
  return "<p>Take the engine that you already run; a lock that fails together with its "
         "data adds no new failure.</p>\n";
}

}  // namespace

std::string which_engine(const Run& run) {
  std::vector<const SaleResult*> ours;
  std::string cards;
  for (const SaleResult& sale : run.sales) {
    const EngineFacts* const facts = facts_of(sale.strategy->engine);
    if (facts == nullptr || !sale.strategy->peer.empty()) continue;
    ours.push_back(&sale);
    cards += card(sale, *facts, run.options.users);
  }
  if (ours.empty()) return "";
  return "<section><h2>Which engine?</h2>\n" + advice(run) + rankings(ours) +
         "<div class=\"engines\">\n" + cards +
         "</div>\n<p class=\"note\">The figures are of this run, with one server each, "
         "on "
         "one machine; a network adds its round trips. A purchase is a request through "
         "nginx with one lock, one read and one write.</p></section>\n";
}

}  // namespace holdfast::shop
