// SPDX-License-Identifier: Apache-2.0

// engines/quorum/transport/nodes.h - asks all nodes at once, and waits for as many
// answers as necessary.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/time_left.h"
#include "base/transient.h"
#include "engines/quorum/transport/node.h"
#include "engines/quorum/vote.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// The answers are in the order of the nodes; nothing means that a node has not answered
// yet.
template <class T>
using Answers = std::vector<std::optional<Result<T>>>;

// A question to one node runs on that node's thread, perhaps after the caller has gone.
template <class T>
using Question = std::function<Result<T>(std::size_t node, engine::Session& session)>;

enum class Answer { yes, no, failed };

// Translates the answer to a call on a claim. A node that does not have the claim says
// no.
template <class T>
Answer meaning_of(const Result<T>& answer) noexcept {
  if (answer) return Answer::yes;
  return answer.error().code == Errc::not_held ? Answer::no : Answer::failed;
}

template <class T>
struct Decision {
  Outcome outcome = Outcome::open;
  Answers<T> answers;
};

// A Poll collects the answers to one question. It is safe for concurrent use.
template <class T>
class Poll {
 public:
  Poll(std::size_t nodes, Question<T> question)
      : question_(std::move(question)), answers_(nodes) {}

  // Returns whether the node has answered.
  bool ask(std::size_t node, const Result<engine::Session*>& session) {
    auto answer = session ? question_(node, **session) : Result<T>(session.error());
    const bool heard = answer || !base::is_transient(answer.error());
    base::MutexLock lock(mutex_);
    answers_[node] = std::move(answer);
    changed_.notify_one();
    return heard;
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
      if (!each) each = Failure(Errc::unavailable, "the node did not answer in time");
    }
    settled(std::as_const(all));
    return all;
  }

 private:
  const Question<T> question_;
  base::Mutex mutex_;
  base::CondVar changed_;
  Answers<T> answers_ HOLDFAST_GUARDED_BY(mutex_);
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

  // A node that has not begun by `in_time` is not asked. Returns when the answers so
  // far have `settled` the question, or at `until`; the nodes that have not answered by
  // then are still asked.
  template <class T, class Settled>
  Answers<T> ask(Question<T> question, engine::Deadline in_time, engine::Deadline until,
                 Settled settled) const {
    const auto poll = std::make_shared<Poll<T>>(size(), std::move(question));
    for (std::size_t i = 0; i < size(); ++i) {
      nodes_[i]->post(in_time,
                      [poll, i](const auto& session) { return poll->ask(i, session); });
    }
    return poll->wait(std::min(in_time, until), settled);
  }

  // Asks until the answers are an outcome by `rule`, which is then not `open`. `means`
  // turns a Result<T> into an Answer.
  template <class T, class Means = Answer (*)(const Result<T>&)>
  Decision<T> decide(Question<T> question, engine::Deadline in_time,
                     engine::Deadline until, Outcome (*rule)(const Votes&),
                     Means means = meaning_of<T>) const {
    Decision<T> decision;
    decision.answers =
        ask(std::move(question), in_time, until, [&](const Answers<T>& so_far) {
          decision.outcome = rule(count(so_far, means));
          return decision.outcome != Outcome::open;
        });
    return decision;
  }

  template <class T, class Means>
  Votes count(const Answers<T>& answers, Means means) const {
    Votes votes{.nodes = size()};
    for (std::size_t i = 0; i < size(); ++i) {
      if (!answers[i]) {
        ++(nodes_[i]->silent() ? votes.silent : votes.awaited);
        continue;
      }
      const Answer answer = means(*answers[i]);
      if (answer == Answer::yes) ++votes.yes;
      if (answer == Answer::no) ++votes.no;
    }
    return votes;
  }

  // Says why there was no majority.
  template <class T>
  Failure explain(const Answers<T>& answers) const {
    Failures failures(size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (answers[i] && meaning_of(*answers[i]) == Answer::failed) {
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
