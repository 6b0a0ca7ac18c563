#include "faults/redis/lost_calls.h"

#include "support/eventually.h"

namespace holdfast::test {

int LostCalls::calls() const {
  auto passed = line_.passed();
  return passed["EVALSHA"] + passed["EVAL"];
}

void LostCalls::everywhere(const Scene& scene, const Keys& stays) {
  scene("warm");
  const int before = calls();
  scene("calm");
  const int steps = calls() - before;
  ASSERT_GT(steps, 0);
  needed_.merge(stays("warm"));
  needed_.merge(stays("calm"));
  for (int step = 0; step < steps && !HasFailure(); ++step) {
    once(scene, step, false, stays);
    once(scene, step, true, stays);
  }
}

void LostCalls::once(const Scene& scene, int step, bool reply, const Keys& stays) {
  const std::string name = std::to_string(step) + (reply ? "-reply" : "-request");
  SCOPED_TRACE(name);
  needed_.merge(stays(name));
  if (reply) {
    line_.lose_replies(1, step);
  } else {
    line_.lose_requests(1, step);
  }
  scene(name);
  line_.lose_replies(0);
  EXPECT_TRUE(eventually([&] { return left_behind(server_, needed_).empty(); }))
      << left_behind(server_, needed_);
}

}  // namespace holdfast::test
