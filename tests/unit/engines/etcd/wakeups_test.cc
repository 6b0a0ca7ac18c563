// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/wakeups.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "support/scale.h"

namespace holdfast::etcd {
namespace {

using namespace std::chrono_literals;
using test::scaled;

class CountingSignal final : public engine::Signal {
 public:
  void ring() noexcept override { ++rings; }
  void wait(engine::Deadline) noexcept override {}
  std::atomic<int> rings{0};
};

// A member that has only watches. It notes each request, and answers a create request
// with the next revision that the test has chosen, or with the last one.
class FakeMember final : private grpc::CallbackGenericService {
 public:
  FakeMember() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeMember() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::uint16_t port() const noexcept { return static_cast<std::uint16_t>(port_); }

  void revisions(std::deque<std::int64_t> next) {
    base::MutexLock lock(mutex_);
    next_ = std::move(next);
  }

  // What was requested, in order: "watch 1", "cancel 1".
  std::string requests() {
    base::MutexLock lock(mutex_);
    return requests_;
  }
  bool eventually_asked(const std::string& requests) {
    base::MutexLock lock(mutex_);
    const auto until = Clock::now() + scaled(10s);
    while (requests_ != requests && Clock::now() < until) {
      changed_.wait_for(lock, until - Clock::now());
    }
    return requests_ == requests;
  }

  void tell_end(std::int64_t id, const std::string& key, std::int64_t revision) {
    wire::WatchResponse told;
    told.set_watch_id(id);
    told.mutable_header()->set_revision(revision);
    wire::Event& event = *told.add_events();
    event.set_type(wire::Event::DELETE);
    event.mutable_kv()->set_key(key);
    event.mutable_kv()->set_mod_revision(revision);
    base::MutexLock lock(mutex_);
    send(told);
  }

 private:
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Reactor(FakeMember& member) : member_(member) { StartRead(&read_); }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      wire::WatchRequest request;
      grpc::ProtoBufferReader reader(&read_);
      request.ParseFromZeroCopyStream(&reader);
      member_.on_request(request);
      StartRead(&read_);
    }
    void OnWriteDone(bool) override { member_.on_written(); }
    void OnDone() override {
      member_.on_done(this);
      delete this;
    }
    void write(const wire::WatchResponse& response) {
      const std::string bytes = response.SerializeAsString();
      const grpc::Slice slice(bytes);
      written_ = grpc::ByteBuffer(&slice, 1);
      StartWrite(&written_);
    }

   private:
    FakeMember& member_;
    grpc::ByteBuffer read_;
    grpc::ByteBuffer written_;
  };

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext*) override {
    base::MutexLock lock(mutex_);
    stream_ = new Reactor(*this);
    return stream_;
  }

  void on_request(const wire::WatchRequest& request) {
    base::MutexLock lock(mutex_);
    const bool create = request.has_create_request();
    const std::int64_t id = create ? request.create_request().watch_id()
                                   : request.cancel_request().watch_id();
    requests_ += (requests_.empty() ? "" : ", ") +
                 std::string(create ? "watch " : "cancel ") + std::to_string(id);
    changed_.notify_all();
    wire::WatchResponse response;
    const bool again = create && !known_.insert(id).second;
    response.set_watch_id(again ? -1 : id);
    response.set_created(create);
    response.set_canceled(!create || again);
    if (again) response.set_cancel_reason("duplicate watch ID");
    if (create && next_.size() > 1) {
      revision_ = next_.front();
      next_.pop_front();
    } else if (create && !next_.empty()) {
      revision_ = next_.front();
    }
    response.mutable_header()->set_revision(revision_);
    send(response);
  }

  void send(const wire::WatchResponse& response) HOLDFAST_REQUIRES(mutex_) {
    unsent_.push_back(response);
    if (unsent_.size() == 1 && stream_ != nullptr) stream_->write(unsent_.front());
  }
  void on_written() {
    base::MutexLock lock(mutex_);
    unsent_.pop_front();
    if (!unsent_.empty() && stream_ != nullptr) stream_->write(unsent_.front());
  }
  void on_done(const Reactor* stream) {
    base::MutexLock lock(mutex_);
    if (stream_ == stream) stream_ = nullptr;
  }

  int port_ = 0;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::string requests_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<std::int64_t> next_ HOLDFAST_GUARDED_BY(mutex_){1};
  std::int64_t revision_ HOLDFAST_GUARDED_BY(mutex_) = 1;
  std::unordered_set<std::int64_t> known_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<wire::WatchResponse> unsent_ HOLDFAST_GUARDED_BY(mutex_);
  Reactor* stream_ HOLDFAST_GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<grpc::Server> server_;
};

class EtcdWakeupsTest : public testing::Test {
 protected:
  EtcdWakeupsTest() {
    std::vector<PeriodicJob*> jobs;
    watches_.add_jobs(jobs);
    loop_.start(std::move(jobs));
  }
  ~EtcdWakeupsTest() override { loop_.stop(); }

  static Options options_for(const FakeMember& member) {
    Options options;
    options.hosts = {{"127.0.0.1", member.port()}};
    return options;
  }
  std::shared_ptr<KeyWatch> watch(const std::string& key) {
    return watches_.watch({.key = key}, {signal_});
  }
  static std::int64_t opened(KeyWatch& handle) {
    return handle.wait(Clock::now() + scaled(10s)).value();
  }

  FakeMember member_;
  const Options options_ = options_for(member_);
  const std::unique_ptr<Channels> channels_ = Channels::open(options_, {}).value();
  EventLoop loop_;
  Calls calls_{options_, *channels_, loop_};
  WatchStream watches_{loop_, *channels_, calls_};
  const std::shared_ptr<CountingSignal> signal_ = std::make_shared<CountingSignal>();
};

TEST_F(EtcdWakeupsTest, AWatchIsOpenWhenNothingChangedWhileItBegan) {
  member_.revisions({7});
  const auto handle = watch("a");
  EXPECT_EQ(opened(*handle), 7);
  EXPECT_EQ(member_.requests(), "watch 1, watch 1");
  EXPECT_EQ(signal_->rings, 0);
}

// The member would tell the events of the first two watches with its next round.
TEST_F(EtcdWakeupsTest, AWatchThatBeganInThePastBeginsAnew) {
  member_.revisions({5, 6, 6, 8, 9});
  const auto handle = watch("a");
  EXPECT_EQ(opened(*handle), 9);
  EXPECT_EQ(member_.requests(),
            "watch 1, watch 1, cancel 1, watch 2, watch 2, cancel 2, watch 3, watch 3");
  member_.tell_end(1, "a", 10);
  member_.tell_end(2, "a", 10);
  member_.tell_end(3, "a", 11);
  while (signal_->rings == 0) std::this_thread::yield();
  EXPECT_EQ(signal_->rings, 1);
}

TEST_F(EtcdWakeupsTest, AWatchDoesNotBeginForEver) {
  std::deque<std::int64_t> busy;
  for (std::int64_t i = 1; i <= 100; ++i) busy.push_back(i);
  member_.revisions(busy);
  const auto handle = watch("a");
  EXPECT_EQ(opened(*handle), 15);
}

TEST_F(EtcdWakeupsTest, AWatchThatWasKeptIsTakenWithoutARequest) {
  auto handle = watch("a");
  opened(*handle);
  const auto other = std::make_shared<CountingSignal>();
  KeyWatch::keep(std::move(handle));
  handle = watches_.watch({.key = "a"}, {other});
  EXPECT_EQ(opened(*handle), 1);
  EXPECT_TRUE(handle->is_for(other));
  EXPECT_FALSE(handle->is_for(signal_));
  member_.tell_end(1, "a", 2);
  while (other->rings == 0) std::this_thread::yield();
  EXPECT_EQ(signal_->rings, 0);
  EXPECT_EQ(member_.requests(), "watch 1, watch 1");
}

TEST_F(EtcdWakeupsTest, AWatchOfAnotherKeyIsNotTaken) {
  auto handle = watch("a");
  opened(*handle);
  KeyWatch::keep(std::move(handle));
  const auto other = watch("b");
  EXPECT_TRUE(member_.eventually_asked("watch 1, watch 1, watch 2, watch 2"));
}

TEST_F(EtcdWakeupsTest, AWatchThatIsKeptEndsWithItsNextEvent) {
  auto handle = watch("a");
  opened(*handle);
  KeyWatch::keep(std::move(handle));
  member_.tell_end(1, "a", 2);
  EXPECT_TRUE(member_.eventually_asked("watch 1, watch 1, cancel 1"));
  EXPECT_EQ(signal_->rings, 0);
}

TEST_F(EtcdWakeupsTest, AWatchThatIsKeptEndsWithTime) {
  auto handle = watch("a");
  opened(*handle);
  KeyWatch::keep(std::move(handle));
  EXPECT_TRUE(member_.eventually_asked("watch 1, watch 1, cancel 1"));
}

// Calls that are under way let the loop rest, and it receives all the same.
TEST_F(EtcdWakeupsTest, ALoopThatRestsLooksAfterItsStreams) {
  auto handle = watch("a");
  opened(*handle);
  KeyWatch::keep(std::move(handle));
  std::deque<EventLoop::OneCall> calls;
  for (std::uint32_t i = 0; i < 2 * CallPace::kMany; ++i) calls.emplace_back(loop_);
  member_.tell_end(1, "a", 2);
  EXPECT_TRUE(member_.eventually_asked("watch 1, watch 1, cancel 1"));
  handle = watch("b");
  EXPECT_EQ(opened(*handle), 1);
  member_.tell_end(2, "b", 3);
  while (signal_->rings == 0) std::this_thread::yield();
}

TEST_F(EtcdWakeupsTest, AWatchForLaterIsNotRequestedAtOnce) {
  const auto first = watch("a");
  opened(*first);
  WatchedKeys own{.key = "own", .from = 3, .prompt = false};
  (void)watches_.watch_later(own, {signal_});  // destroyed at once
  const auto made = Clock::now();
  const auto later = watches_.watch_later(own, {signal_});
  EXPECT_TRUE(member_.eventually_asked("watch 1, watch 1, watch 3"));
  EXPECT_GE(Clock::now() - made, 100ms);
}

}  // namespace
}  // namespace holdfast::etcd
