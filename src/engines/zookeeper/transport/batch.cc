// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/transport/batch.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/common_failures.h"
#include "base/mutex.h"
#include "base/time_left.h"
#include "engines/zookeeper/errors.h"
#include "engines/zookeeper/transport/xids.h"

namespace holdfast::zookeeper {

using engine::Deadline;

// Lives until the last answer has come, even if the batch is destroyed before.
class Batch::State {
 public:
  base::Mutex mutex;
  base::CondVar answered;
  std::size_t pending HOLDFAST_GUARDED_BY(mutex) = 0;
  Reach reach HOLDFAST_GUARDED_BY(mutex) =
      Reach::nowhere;          // how far the furthest request has come
  std::deque<Answer> answers;  // each is written once, before `pending` falls

  // The memory that the library writes to.
  std::vector<Op> ops;
  std::vector<zoo_op_t> raw_ops;
  std::vector<zoo_op_result_t> results;
  std::deque<Stat> stats;
  std::deque<std::string> paths;
};

// The context of one request.
struct Batch::Slot {
  std::shared_ptr<State> state;
  Answer* answer;
  Request request;

  template <class Fill>
  static void answer_with(int code, const void* data, Fill fill) {
    const std::unique_ptr<const Slot> slot(static_cast<const Slot*>(data));
    Answer& answer = *slot->answer;
    answer.code = code;
    if (code == ZOK) fill(answer);
    base::MutexLock lock(slot->state->mutex);
    slot->state->reach = std::max(slot->state->reach, reach_of(slot->request, code));
    if (--slot->state->pending == 0) slot->state->answered.notify_all();
  }
  static void on_void(int code, const void* data) {
    answer_with(code, data, [](Answer&) {});
  }
  static void on_sync(int code, const char*, const void* data) { on_void(code, data); }
  static void on_stat(int code, const Stat* stat, const void* data) {
    answer_with(code, data, [stat](Answer& a) { a.stat = *stat; });
  }
  static void on_text(int code, const char* text, const Stat* stat, const void* data) {
    answer_with(code, data, [=](Answer& a) {
      a.text = text;
      a.stat = *stat;
    });
  }
  static void on_data(int code, const char* value, int size, const Stat* stat,
                      const void* data) {
    answer_with(code, data, [=](Answer& a) {
      if (size > 0) a.text.assign(value, static_cast<std::size_t>(size));
      a.stat = *stat;
    });
  }
  static void on_names(int code, const String_vector* names, const Stat* stat,
                       const void* data) {
    answer_with(code, data, [=](Answer& a) {
      a.names.assign(names->data, names->data + names->count);
      a.stat = *stat;
    });
  }
};

namespace {

constexpr std::size_t kSequence = 11;  // digits at most, with the sign

int mode_of(Node node) noexcept {
  switch (node) {
    case Node::persistent:
      return ZOO_PERSISTENT;
    case Node::container:
      return ZOO_CONTAINER;
    case Node::ephemeral:
      return ZOO_EPHEMERAL;
    case Node::ephemeral_sequential:
      return ZOO_EPHEMERAL_SEQUENTIAL;
  }
  return ZOO_PERSISTENT;
}

int size_of(std::string_view data) noexcept { return static_cast<int>(data.size()); }

// The context that the library hands back is the key itself.
void* context(WatchRegistry::Key key) noexcept {
  return reinterpret_cast<void*>(key);  // NOLINT(performance-no-int-to-ptr)
}

watcher_fn watcher(WatchRegistry::Key key) noexcept {
  return key != 0 ? Handle::on_event : nullptr;
}

}  // namespace

Batch::Batch(Result<std::shared_ptr<Handle>> handle)
    : handle_(handle ? *std::move(handle) : nullptr),
      failure_(handle ? std::nullopt : std::optional(handle.error())),
      state_(std::make_shared<State>()),
      started_(Clock::now()) {}

Batch::~Batch() = default;

// The library does not answer a request that it has refused.
template <class Send>
std::size_t Batch::send(Request request, Send send) {
  if (handle_ == nullptr) return 0;
  take_xid(handle_->raw());
  base::MutexLock lock(state_->mutex);
  const std::size_t index = state_->answers.size();
  ++state_->pending;
  auto* const slot = new Slot{state_, &state_->answers.emplace_back(), request};
  lock.unlock();
  const int code = send(handle_->raw(), slot);
  if (code != ZOK) Slot::on_void(code, slot);
  return index;
}

std::size_t Batch::create(const std::string& path, std::string_view data, Node node) {
  return send(Request::write, [&](zhandle_t* to, Slot* slot) {
    return zoo_acreate2(to, path.c_str(), data.data(), size_of(data), handle_->acl(),
                        mode_of(node), Slot::on_text, slot);
  });
}

std::size_t Batch::remove(const std::string& path, int version) {
  return send(Request::write, [&](zhandle_t* to, Slot* slot) {
    return zoo_adelete(to, path.c_str(), version, Slot::on_void, slot);
  });
}

std::size_t Batch::set(const std::string& path, std::string_view data, int version) {
  return send(Request::write, [&](zhandle_t* to, Slot* slot) {
    return zoo_aset(to, path.c_str(), data.data(), size_of(data), version,
                    Slot::on_stat, slot);
  });
}

std::size_t Batch::get(const std::string& path, WatchRegistry::Key watch) {
  return send(Request::read, [&](zhandle_t* to, Slot* slot) {
    return zoo_awget(to, path.c_str(), watcher(watch), context(watch), Slot::on_data,
                     slot);
  });
}

std::size_t Batch::exists(const std::string& path, WatchRegistry::Key watch) {
  return send(Request::read, [&](zhandle_t* to, Slot* slot) {
    return zoo_awexists(to, path.c_str(), watcher(watch), context(watch), Slot::on_stat,
                        slot);
  });
}

std::size_t Batch::children(const std::string& path, WatchRegistry::Key watch) {
  return send(Request::read, [&](zhandle_t* to, Slot* slot) {
    return zoo_awget_children2(to, path.c_str(), watcher(watch), context(watch),
                               Slot::on_names, slot);
  });
}

void Batch::sync(const std::string& path) {
  sync_ = {0, path};
  sync_->index = send(Request::read, [&](zhandle_t* to, Slot* slot) {
    return zoo_async(to, path.c_str(), Slot::on_sync, slot);
  });
}

std::size_t Batch::multi(std::vector<Op> ops) {
  return send(Request::transaction, [&](zhandle_t* to, Slot* slot) {
    State& s = *state_;
    s.ops = std::move(ops);
    s.raw_ops.resize(s.ops.size());
    s.results.resize(s.ops.size());
    for (std::size_t i = 0; i < s.ops.size(); ++i) {
      const Op& op = s.ops[i];
      Stat* const stat = &s.stats.emplace_back();
      std::string& path = s.paths.emplace_back(op.path.size() + kSequence + 1, '\0');
      zoo_op_t* const raw = &s.raw_ops[i];
      switch (op.type) {
        case Op::Type::create:
          zoo_create_op_init(raw, op.path.c_str(), op.data.data(), size_of(op.data),
                             handle_->acl(), mode_of(op.node), path.data(),
                             static_cast<int>(path.size()));
          break;
        case Op::Type::set:
          zoo_set_op_init(raw, op.path.c_str(), op.data.data(), size_of(op.data),
                          op.version, stat);
          break;
        case Op::Type::remove:
          zoo_delete_op_init(raw, op.path.c_str(), op.version);
          break;
        case Op::Type::check:
          zoo_check_op_init(raw, op.path.c_str(), op.version);
          break;
      }
    }
    return zoo_amulti(to, static_cast<int>(s.ops.size()), s.raw_ops.data(),
                      s.results.data(), Slot::on_void, slot);
  });
}

Result<void> Batch::wait(Deadline until) {
  if (failure_) return *failure_;
  base::MutexLock lock(state_->mutex);
  while (state_->pending > 0) {
    if (until == Deadline::max()) {
      state_->answered.wait(lock);
      continue;
    }
    const auto left = base::time_left(until);
    if (left == Clock::duration::zero()) {
      return base::not_answered("ZooKeeper at " + handle_->where(),
                                Errc::outcome_unknown);
    }
    state_->answered.wait_for(lock, left);
  }
  for (const Answer& each : state_->answers) {
    if (is_lost(each.code)) {
      return base::connection_lost("ZooKeeper at " + handle_->where(),
                                   Errc::outcome_unknown);
    }
  }
  handle_->answered(started_, state_->reach);
  if (sync_) {
    const int code = state_->answers[sync_->index].code;
    if (code != ZOK) return failure_of(code, "sync " + sync_->path);
  }
  return {};
}

Result<void> Batch::wait_to_read(Deadline until) {
  auto done = wait(until);
  if (!done) return Failure(Errc::unavailable, std::move(done).error().context);
  return {};
}

const Answer& Batch::operator[](std::size_t index) const {
  return state_->answers[index];
}

int Batch::first_code() const {
  return state_->answers.empty() ? ZOK : state_->answers.front().code;
}

int Batch::op_code(std::size_t index) const { return state_->results[index].err; }

const Stat& Batch::op_stat(std::size_t index) const { return state_->stats[index]; }

std::string Batch::op_path(std::size_t index) const {
  return state_->paths[index].c_str();
}

}  // namespace holdfast::zookeeper
