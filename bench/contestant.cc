#include "contestant.h"

#include <mutex>
#include <stdexcept>

#include "holdfast/holdfast.h"
#include "rivals/flock.h"
#include "rivals/ofd_lock.h"
#include "rivals/robust_mutex.h"
#ifdef HOLDFAST_BENCH_BOOST
#include "rivals/boost_named_mutex.h"
#endif

namespace holdfast::bench {
namespace {

template <class M>
class Of : public Contestant {
 public:
  template <class... Args>
  explicit Of(Args&&... args) : mutex_(std::forward<Args>(args)...) {}
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }
  void pairs(std::int64_t n) override {
    for (std::int64_t i = 0; i < n; ++i) std::scoped_lock guard(mutex_);
  }

 private:
  M mutex_;
};

Client client_of_this_process() {
  static const Client client = Client::open();
  return client;
}

}  // namespace

const std::vector<std::string>& contestants() {
  static const std::vector<std::string> names = {
      std::string(kHoldfast), std::string(kFlock), "ofd lock", "robust mutex",
#ifdef HOLDFAST_BENCH_BOOST
      "boost named_mutex",
#endif
  };
  return names;
}

std::unique_ptr<Contestant> make_contestant(std::string_view name,
                                            const std::string& path) {
  const std::string file = path + "." + std::string(name);
  if (name == kHoldfast)
    return std::make_unique<Of<Mutex>>(client_of_this_process(), path);
  if (name == kFlock) return std::make_unique<Of<Flock>>(file);
  if (name == "ofd lock") return std::make_unique<Of<OfdLock>>(file);
  if (name == "robust mutex") return std::make_unique<Of<RobustMutex>>(file);
#ifdef HOLDFAST_BENCH_BOOST
  if (name == "boost named_mutex") return std::make_unique<Of<BoostNamedMutex>>(file);
#endif
  throw std::invalid_argument("no contestant called " + std::string(name));
}

void remove_traces([[maybe_unused]] const std::string& path) {
#ifdef HOLDFAST_BENCH_BOOST
  BoostNamedMutex::remove(path + ".boost named_mutex");
#endif
}

}  // namespace holdfast::bench
