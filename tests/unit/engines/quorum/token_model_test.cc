// SPDX-License-Identifier: Apache-2.0

// The rule by which a quorum's tokens grow, in a model that is small enough to try
// everything that can happen: every order of messages, lost replies, late requests,
// leases that end at any time. Clients name any token they like, so that clocks which
// differ need no case of their own. Weaker rules are tried, too: each must be caught.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace holdfast::quorum {
namespace {

constexpr std::size_t kModelNodes = 3;
constexpr std::size_t kMostClients = 3;

// What is to be tried, and what the nodes and clients do. The defaults are the rule.
struct Rule {
  std::vector<bool> writers{true, true};  // one client each; the others read
  std::vector<int> claims{2, 1};          // of each client, one after the other
  int tokens = 2;                         // A claim names one of 1 to `tokens`.
  int block = 1;                          // how many tokens a claim reserves
  int lease = 1;
  int end = 2;          // when the model ends; time begins with 1
  bool renews = false;  // A hold may be renewed.

  int majority = 2;
  bool larger_only = true;        // A node refuses a token that it has seen.
  bool remembers = true;          // A node remembers a token after its claim has ended.
  bool remembers_readers = true;  // A node remembers the tokens of readers.
  bool remembers_blocks = true;   // A node remembers the last token of a block.
  bool nodes_choose = false;      // A node grants its last token plus one instead.
  bool checks_time = true;        // A client looks at the clock after the last answer.
  bool restarts_empty = false;    // A node may forget everything.
};

// A client sends every node the same messages in the same order: attempt, drop,
// attempt, drop. So their number says what was sent, and what a node has heard of it.
struct ModelClient {
  std::int8_t sent = 0;                // how many messages
  std::int8_t since = 0;               // when its present attempt began
  std::int8_t until = 0;               // the end of its hold, or 0
  std::int8_t renewing = 0;            // when its present renewal began, or 0
  std::array<std::int8_t, 2> named{};  // the token of each of its claims

  bool active() const { return sent % 2 == 1; }
  std::size_t claim() const { return static_cast<std::size_t>(sent - 1) / 2; }
};

struct AtNode {
  std::int8_t heard = 0;    // how many messages
  std::int8_t until = 0;    // the end of the claim's lease, or 0
  std::int8_t granted = 0;  // the token, if the client has the reply
  bool renewed = false;     // by the present renewal

  auto operator<=>(const AtNode&) const = default;
};

struct ModelNode {
  std::int8_t last = 0;
  std::array<AtNode, kMostClients> of{};

  auto operator<=>(const ModelNode&) const = default;
};

struct ModelState {
  std::int8_t now = 1;
  std::int8_t highest = 0;         // token of all holds so far
  std::int8_t highest_writer = 0;  // token of all exclusive holds so far
  std::array<ModelClient, kMostClients> clients{};
  std::array<ModelNode, kModelNodes> nodes{};
};

class TokenModel {
 public:
  explicit TokenModel(Rule rule) : rule_(std::move(rule)) {}

  // Returns what went wrong, or nothing, after everything was tried.
  std::string explore() {
    reach({});
    while (!open_.empty() && wrong_.empty()) {
      const ModelState state = open_.back();
      open_.pop_back();
      step(state);
    }
    return wrong_;
  }
  std::size_t states() const { return seen_.size(); }
  std::size_t holds() const { return holds_; }

 private:
  std::size_t clients() const { return rule_.writers.size(); }
  bool conflict(std::size_t a, std::size_t b) const {
    return a != b && (rule_.writers[a] || rule_.writers[b]);
  }

  // States that differ in nothing that matters later are one state.
  void reach(ModelState state) {
    for (ModelNode& node : state.nodes) tidy(state, node);
    for (std::size_t c = 0; c < clients(); ++c) forget_heard(state, c);
    std::sort(state.nodes.begin(), state.nodes.end());  // They are alike.
    static_assert(alignof(ModelState) == 1, "a state has no gaps");
    std::string key(reinterpret_cast<const char*>(&state), sizeof state);
    if (seen_.insert(std::move(key)).second) open_.push_back(state);
  }

  // Ends leases, and lets the node hear each drop of a claim that it does not have:
  // that changes nothing, whenever it happens.
  void tidy(const ModelState& state, ModelNode& node) const {
    bool taken = false;
    for (std::size_t c = 0; c < clients(); ++c) {
      AtNode& at = node.of[c];
      if (at.until <= state.now) at.until = 0;
      taken = taken || at.until != 0;
      const bool drops = at.heard % 2 == 1 && at.heard < state.clients[c].sent;
      if (drops && at.until == 0) ++at.heard;
    }
    if (!rule_.remembers && !taken) node.last = 0;
  }

  // The token of a claim that every node has heard of is not needed any more.
  void forget_heard(ModelState& state, std::size_t c) const {
    std::int8_t least = state.clients[c].sent;
    for (const ModelNode& node : state.nodes) least = std::min(least, node.of[c].heard);
    for (std::size_t i = 0; i < (static_cast<std::size_t>(least) + 1) / 2; ++i) {
      state.clients[c].named[i] = 0;
    }
  }

  void step(const ModelState& state) {
    if (state.now < rule_.end) {
      ModelState later = state;
      ++later.now;
      reach(later);
    }
    for (std::size_t c = 0; c < clients(); ++c) {
      step_client(state, c);
      for (std::size_t n = 0; n < kModelNodes; ++n) step_node(state, c, n);
    }
    for (std::size_t n = 0; rule_.restarts_empty && n < kModelNodes; ++n) {
      ModelState next = state;
      next.nodes[n].last = 0;
      for (AtNode& each : next.nodes[n].of) each.until = 0;
      reach(next);
    }
  }

  void step_client(const ModelState& state, std::size_t c) {
    const ModelClient& client = state.clients[c];
    if (!client.active()) {
      if (client.sent < 2 * rule_.claims[c]) attempt(state, c);
      return;
    }
    give_up(state, c);
    if (client.until == 0) {
      hold(state, c);
    } else if (rule_.renews && client.until > state.now) {
      renew(state, c);
    }
  }

  void attempt(const ModelState& state, std::size_t c) {
    for (int token = 1; token <= rule_.tokens; ++token) {
      ModelState next = state;
      ModelClient& client = next.clients[c];
      ++client.sent;
      client.since = state.now;
      client.named[client.claim()] = static_cast<std::int8_t>(token);
      reach(next);
    }
  }

  // A client may give up at any time, and a hold may be released or be over.
  void give_up(const ModelState& state, std::size_t c) {
    ModelState next = state;
    ModelClient& client = next.clients[c];
    ++client.sent;
    client.since = client.until = client.renewing = 0;
    for (ModelNode& node : next.nodes) {
      node.of[c].granted = 0;
      node.of[c].renewed = false;
    }
    reach(next);
  }

  void hold(const ModelState& state, std::size_t c) {
    int yes = 0;
    std::int8_t token = 0;
    for (const ModelNode& node : state.nodes) {
      if (node.of[c].granted == 0) continue;
      ++yes;
      token = std::max(token, node.of[c].granted);
    }
    ModelState next = state;
    ModelClient& client = next.clients[c];
    client.until = static_cast<std::int8_t>(client.since + rule_.lease);
    if (yes < rule_.majority) return;
    if (client.until <= state.now) {
      if (rule_.checks_time) return;
      client.until = static_cast<std::int8_t>(state.now + 1);  // It believes so.
    }
    client.since = 0;
    check(state, c, token);
    const auto last = static_cast<std::int8_t>(token + rule_.block - 1);
    next.highest = std::max(next.highest, last);
    if (rule_.writers[c]) next.highest_writer = std::max(next.highest_writer, last);
    for (ModelNode& node : next.nodes) node.of[c].granted = 0;
    reach(next);
  }

  void check(const ModelState& state, std::size_t c, std::int8_t token) {
    ++holds_;
    for (std::size_t other = 0; other < clients(); ++other) {
      if (conflict(c, other) && state.clients[other].until > state.now) {
        wrong_ = "two clients hold";
      }
    }
    if (rule_.writers[c] && token <= state.highest) {
      wrong_ = "a writer's token does not exceed one before";
    }
    if (!rule_.writers[c] && token < state.highest_writer) {
      wrong_ = "a reader's token is below that of a writer before";
    }
  }

  void renew(const ModelState& state, std::size_t c) {
    ModelState next = state;
    ModelClient& client = next.clients[c];
    int yes = 0;
    for (ModelNode& node : next.nodes) {
      yes += node.of[c].renewed ? 1 : 0;
      node.of[c].renewed = false;
    }
    if (client.renewing == 0) {
      client.renewing = state.now;
    } else if (yes >= rule_.majority) {
      client.until = static_cast<std::int8_t>(client.renewing + rule_.lease);
      client.renewing = 0;
    } else {
      return;
    }
    reach(next);
  }

  void step_node(const ModelState& state, std::size_t c, std::size_t n) {
    const ModelClient& client = state.clients[c];
    const AtNode& known = state.nodes[n].of[c];
    if (known.heard == client.sent) {
      renew_at(state, c, n);
      return;
    }
    ModelState next = state;
    AtNode& at = next.nodes[n].of[c];
    const bool is_drop = at.heard % 2 == 1;
    const auto claim = static_cast<std::size_t>(at.heard) / 2;
    ++at.heard;
    if (is_drop) {
      at.until = 0;
      reach(next);
      return;
    }
    const std::int8_t token = grant(next, c, n, client.named[claim]);
    const bool is_awaited = at.heard == client.sent && client.until == 0;
    if (is_awaited) at.granted = token;
    reach(next);
  }

  // Returns the token of the grant, or 0.
  std::int8_t grant(ModelState& next, std::size_t c, std::size_t n,
                    std::int8_t named) const {
    ModelNode& node = next.nodes[n];
    for (std::size_t other = 0; other < clients(); ++other) {
      if (conflict(c, other) && node.of[other].until > next.now) return 0;
    }
    if (rule_.nodes_choose) named = static_cast<std::int8_t>(node.last + 1);
    const bool may_repeat = !rule_.larger_only || !rule_.writers[c];
    if (named < node.last || (named == node.last && !may_repeat)) return 0;
    node.of[c].until = static_cast<std::int8_t>(next.now + rule_.lease);
    if (rule_.writers[c] || rule_.remembers_readers) {
      const int last = rule_.remembers_blocks ? named + rule_.block - 1 : named;
      node.last = std::max(node.last, static_cast<std::int8_t>(last));
    }
    return named;
  }

  void renew_at(const ModelState& state, std::size_t c, std::size_t n) {
    const AtNode& known = state.nodes[n].of[c];
    const bool is_asked = state.clients[c].renewing != 0 && !known.renewed;
    if (!is_asked || known.until <= state.now) return;
    ModelState next = state;
    AtNode& at = next.nodes[n].of[c];
    at.until = static_cast<std::int8_t>(state.now + rule_.lease);
    at.renewed = true;
    reach(next);
  }

  const Rule rule_;
  std::unordered_set<std::string> seen_;
  std::vector<ModelState> open_;
  std::size_t holds_ = 0;
  std::string wrong_;
};

void expect_sound(const Rule& rule) {
  TokenModel model(rule);
  EXPECT_EQ(model.explore(), "");
  EXPECT_GT(model.holds(), 100u) << "nothing was tried";
  testing::Test::RecordProperty("states", static_cast<int>(model.states()));
}

void expect_caught(const Rule& rule) {
  TokenModel model(rule);
  EXPECT_NE(model.explore(), "") << "a weaker rule is not noticed";
}

TEST(QuorumTokenModel, WritersAreInOrder) { expect_sound({}); }

TEST(QuorumTokenModel, ARenewedHoldIsInOrder) {
  expect_sound({.claims = {1, 1}, .lease = 2, .end = 3, .renews = true});
}

TEST(QuorumTokenModel, ReadersAreBetweenWriters) {
  expect_sound({.writers = {true, false}});
  expect_sound({.writers = {true, false, false}, .claims = {1, 1, 1}, .end = 1});
}

TEST(QuorumTokenModel, BlocksDoNotOverlap) {
  expect_sound({.claims = {1, 1}, .tokens = 3, .block = 2});
}

TEST(QuorumTokenModel, AnEqualTokenWouldBeCaught) {
  expect_caught({.larger_only = false});
}

TEST(QuorumTokenModel, AForgottenTokenWouldBeCaught) {
  expect_caught({.remembers = false});
  expect_caught({.restarts_empty = true});
}

TEST(QuorumTokenModel, AForgottenReaderWouldBeCaught) {
  expect_caught({.writers = {true, false}, .remembers_readers = false});
}

TEST(QuorumTokenModel, AForgottenBlockWouldBeCaught) {
  expect_caught({.tokens = 3, .block = 2, .remembers_blocks = false});
}

TEST(QuorumTokenModel, TheLargestTokenThatNodesChooseWouldBeCaught) {
  expect_caught({.nodes_choose = true});
}

TEST(QuorumTokenModel, ALateGrantWouldBeCaught) {
  expect_caught({.checks_time = false});
}

TEST(QuorumTokenModel, AMinorityWouldBeCaught) { expect_caught({.majority = 1}); }

}  // namespace
}  // namespace holdfast::quorum
