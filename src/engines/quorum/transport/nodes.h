// SPDX-License-Identifier: Apache-2.0

// engines/quorum/transport/nodes.h - asks all nodes at once, and waits for as many
// answers as necessary.

#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/ask_engine.h"
#include "base/mutex.h"
#include "base/time_left.h"
#include "base/transient.h"
#include "engines/quorum/transport/node.h"
#include "engines/quorum/vote.h"
#include "holdfast/engine/sent_call.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// The answers are in the order of the nodes; nothing means that a node has not answered
// yet.
template <class T>
using Answers = std::vector<std::optional<Result<T>>>;

// A question to one node is asked by the thread that has the node's turn, perhaps after
// the caller has gone.
template <class T>
struct Question {
  std::function<Result<T>(std::size_t node, engine::Session& session)> ask;

  // Sends the question without waiting for its answer. Null means that nothing was
  // sent. The function may be left out.
  std::function<std::unique_ptr<engine::SentCall<T>>(std::size_t node,
                                                     engine::Session& session)>
      send = nullptr;

  // Returns whether a node that has not answered is asked again until it has. The
  // function may be left out.
  std::function<bool(std::size_t node)> needs_retry = nullptr;
};

// Translates the answer to a call on a claim. A node that does not have the claim says
// no.
template <class T>
Vote vote_of(const Result<T>& answer) noexcept {
  if (answer) return Vote::yes;
  return answer.error().code == Errc::not_held ? Vote::no : Vote::failed;
}

// Returns the lease that a majority has granted, at most the one that is `wanted`.
// `lease_in(answer)` returns a pointer to the lease that a node has granted, or null.
// REQUIRES: a majority has.
template <class T, class LeaseIn>
engine::LeaseTime agreed_lease(const Answers<T>& answers, engine::LeaseTime wanted,
                               const LeaseIn& lease_in) {
  std::vector<engine::LeaseTime> leases;
  for (const auto& each : answers) {
    const engine::LeaseTime* const lease = each && *each ? lease_in(**each) : nullptr;
    if (lease != nullptr) leases.push_back(std::min(*lease, wanted));
  }
  return agreed_lease(std::move(leases), answers.size());
}

template <class T>
struct Decision {
  Outcome outcome = Outcome::open;
  Answers<T> answers;
};

// A Poll collects the answers to one question. It is safe for concurrent use.
template <class T>
class Poll : public std::enable_shared_from_this<Poll<T>> {
 public:
  Poll(std::size_t nodes, Question<T> question)
      : question_(std::move(question)), answers_(nodes) {}

  // Asks the node with that index. Returns whether it has answered.
  bool ask(std::size_t index, Node& node, const Result<engine::Session*>& session) {
    if (!session) return put(index, node, session.error());
    return put(index, node,
               base::ask_engine([&] { return question_.ask(index, **session); }));
  }

  // Asks the node in a turn of the calling thread. Null means that the node's thread
  // has to ask it, and that the turn is not taken.
  std::unique_ptr<Node::Sent> send(std::size_t index, Node& node,
                                   engine::Deadline in_time) {
    if (question_.send == nullptr) return nullptr;
    // What throws comes before the turn, which would have no end otherwise.
    auto sent = std::make_unique<Sent>(this->shared_from_this(), index, node, in_time);
    return sent->begin() ? std::move(sent) : nullptr;
  }

  template <class Settled>
  bool is_settled(Settled& settled) {
    base::MutexLock lock(mutex_);
    return settled(std::as_const(answers_));
  }

  // Blocks until `settled` returns true; its last call gets the answers that are
  // returned. A node that has not answered by `until` has failed.
  template <class Settled>
  Answers<T> wait(engine::Deadline until, Settled& settled) {
    base::MutexLock lock(mutex_);
    for (;;) {
      if (settled(std::as_const(answers_))) return answers_;
      const auto left = base::time_left(until);
      if (left == Clock::duration::zero()) break;
      changed_.wait_for(lock, left);
    }
    Answers<T> all = answers_;
    for (auto& each : all) {
      if (!each) each = not_in_time();
    }
    settled(std::as_const(all));
    return all;
  }

 private:
  class Sent final : public Node::Sent {
   public:
    Sent(std::shared_ptr<Poll> poll, std::size_t index, Node& node,
         engine::Deadline in_time) noexcept
        : poll_(std::move(poll)), index_(index), node_(node), in_time_(in_time) {}

    // Takes the turn and sends. Returns false if the turn is not taken.
    bool begin() noexcept {
      auto turn = node_.enter();
      if (!turn) return false;
      session_ = turn->session;
      late_ = std::move(turn->late);
      if (late_ == nullptr) send();
      if (late_ != nullptr || call_ != nullptr) return true;
      node_.leave();
      return false;
    }
    bool is_queued() const noexcept override { return call_ == nullptr; }

    int fd() const noexcept override {
      if (late_ != nullptr) return late_->fd();
      return call_ != nullptr ? call_->fd() : -1;
    }

    bool is_ready() override {
      if (late_ != nullptr && late_->is_ready() && finish_late()) send();
      try {
        return call_ != nullptr && call_->is_ready();
      } catch (const std::exception&) {
        return true;  // `finish` tells of it.
      }
    }

    bool finish() override {
      if (late_ != nullptr) finish_late();
      if (call_ != nullptr) {
        return poll_->put(index_, node_,
                          base::ask_engine([this] { return call_->take(in_time_); }));
      }
      if (Clock::now() < in_time_) return poll_->ask(index_, node_, session_);
      return poll_->ask(index_, node_, not_in_time());
    }

   private:
    void send() noexcept {
      try {
        call_ = poll_->question_.send(index_, *session_);
      } catch (const std::exception&) {
        return;  // The node's thread asks.
      }
    }

    bool finish_late() noexcept {
      const bool answered = base::is_answered([this] { return late_->finish(); });
      late_.reset();
      node_.set_answered(answered);
      return answered;
    }

    const std::shared_ptr<Poll> poll_;  // The question outlives the call.
    const std::size_t index_;
    Node& node_;
    const engine::Deadline in_time_;
    engine::Session* session_ = nullptr;
    std::unique_ptr<Node::Sent> late_;
    std::unique_ptr<engine::SentCall<T>> call_;
  };

  bool put(std::size_t index, Node& node, Result<T> answer) {
    const bool heard = answer || !base::is_transient(answer.error());
    {
      base::MutexLock lock(mutex_);
      answers_[index] = std::move(answer);
      changed_.notify_one();
    }
    if (!heard && question_.needs_retry != nullptr && question_.needs_retry(index)) {
      node.retry([self = this->shared_from_this(), index, &node](const auto& session) {
        return self->ask(index, node, session);
      });
    }
    return heard;
  }

  const Question<T> question_;
  base::Mutex mutex_;
  base::CondVar changed_;
  Answers<T> answers_ HOLDFAST_GUARDED_BY(mutex_);
};

// These are the calls that one caller has sent, each in its turn at a node. The caller
// takes the answers itself. A call that it does not wait for stays with its node.
class SentCalls {
 public:
  explicit SentCalls(std::size_t most) { calls_.reserve(most); }
  ~SentCalls() { leave(); }
  SentCalls(const SentCalls&) = delete;
  SentCalls& operator=(const SentCalls&) = delete;

  // REQUIRES: there are fewer calls than the most.
  void add(Node& node, std::unique_ptr<Node::Sent> sent) noexcept {
    calls_.push_back({&node, std::move(sent)});
  }

  // Takes the answers that come until `enough` returns true, or until it is late: then
  // the threads of the nodes go on.
  template <class Enough>
  void take(engine::Deadline until, Enough enough) {
    const auto late = std::min(until, Clock::now() + kLate);
    while (!calls_.empty()) {
      if (take_ready() && enough()) return;
      if (!await(late)) return hand_on();
    }
  }

 private:
  // After this time an answer is late.
  static constexpr auto kLate = std::chrono::milliseconds(10);

  struct Call {
    Node* node;
    std::unique_ptr<Node::Sent> sent;
    bool stirs = false;  // There is something to look at.
  };

  bool take_ready();
  bool await(engine::Deadline until);
  void leave();
  void hand_on();

  std::vector<Call> calls_;
};

// The class is safe for concurrent use.
class Nodes {
 public:
  Nodes(const std::vector<std::shared_ptr<engine::Engine>>& engines,
        const engine::SessionOptions& options);
  ~Nodes();
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  std::size_t size() const noexcept { return nodes_.size(); }
  std::size_t majority() const noexcept { return majority_of(size()); }
  Node& operator[](std::size_t node) const noexcept { return *nodes_[node]; }

  // Calls use(node, session) for each node that is open.
  template <class Use>
  void for_each_open(const Use& use) const {
    for (std::size_t i = 0; i < size(); ++i) {
      engine::Session* const session = nodes_[i]->session();
      if (session != nullptr) use(i, *session);
    }
  }

  // A node that has not begun by `in_time` is not asked. Returns when the answers so
  // far have `settled` the question, or at `until`; the nodes that have not answered by
  // then are still asked.
  template <class T, class Settled>
  Answers<T> ask(Question<T> question, engine::Deadline in_time, engine::Deadline until,
                 Settled settled) const {
    const auto poll = std::make_shared<Poll<T>>(size(), std::move(question));
    SentCalls sent(size());
    for (std::size_t i = 0; i < size(); ++i) {
      Node& node = *nodes_[i];
      if (auto call = poll->send(i, node, in_time)) {
        sent.add(node, std::move(call));
      } else {
        node.post(in_time, [poll, i, &node](const auto& session) {
          return poll->ask(i, node, session);
        });
      }
    }
    const auto wait_until = std::min(in_time, until);
    sent.take(wait_until, [&] { return poll->is_settled(settled); });
    return poll->wait(wait_until, settled);
  }

  // Asks until the answers are an outcome by `rule`, which is then not `open`.
  // `to_vote` turns a Result<T> into a Vote.
  template <class T, class ToVote = Vote (*)(const Result<T>&)>
  Decision<T> decide(Question<T> question, engine::Deadline in_time,
                     engine::Deadline until, Outcome (*rule)(const Votes&),
                     ToVote to_vote = vote_of<T>) const {
    Decision<T> decision;
    decision.answers =
        ask(std::move(question), in_time, until, [&](const Answers<T>& so_far) {
          decision.outcome = rule(count(so_far, to_vote));
          return decision.outcome != Outcome::open;
        });
    return decision;
  }

  template <class T, class ToVote>
  Votes count(const Answers<T>& answers, ToVote to_vote) const {
    Votes votes{.nodes = size()};
    for (std::size_t i = 0; i < size(); ++i) {
      if (!answers[i]) {
        ++(nodes_[i]->silent() ? votes.silent : votes.awaited);
        continue;
      }
      const Vote vote = to_vote(*answers[i]);
      if (vote == Vote::yes) ++votes.yes;
      if (vote == Vote::no) ++votes.no;
    }
    return votes;
  }

  // Says why there was no majority.
  template <class T>
  Failure explain(const Answers<T>& answers) const {
    Failures failures(size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (answers[i] && vote_of(*answers[i]) == Vote::failed) {
        failures[i] = answers[i]->error();
      }
    }
    return explain(failures);
  }

 private:
  using Failures = std::vector<std::optional<Failure>>;  // in the order of the nodes
  Failure explain(const Failures& failures) const;

  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace holdfast::quorum
