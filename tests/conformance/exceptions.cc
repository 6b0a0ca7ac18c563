#include "conformance/exceptions.h"

#include <algorithm>

#include "conformance/claim_lock.h"

namespace holdfast::test {
namespace {

constexpr Exception kExceptions[] = {
    {"Deaths", "fake", Lack::other_processes},
    {"Deaths", "fake_ungated", Lack::other_processes},
    {"Processes", "fake", Lack::other_processes},
    {"Processes", "fake_ungated", Lack::other_processes},
    {"Witness", "fake", Lack::witness},
    {"Witness", "fake_ungated", Lack::witness},
#if HOLDFAST_WITH_LOCAL
    {"Outages", "local", Lack::faults},
#endif
#if HOLDFAST_WITH_REDIS
    {"Order", "redis", Lack::order, Shape::mutex},
    {"Witness", "redis", Lack::witness},
    {"Order", "redis_string", Lack::order, Shape::mutex},
    {"OneKind", "redis_string", Lack::kinds},
    {"Witness", "redis_string", Lack::witness},
#endif
};

bool mistakes_a_counter_for_a_lock(EngineUnderTest& engine) {
  const Client client = engine.open({});
  const auto bind = [&](engine::Kind kind) {
    return client.session().bind({kind, "kinds"}).value();
  };
  (void)bind(engine::Kind::counter)->add(1, engine::Ticket::none, soon()).value();
  const engine::Claim claim{.ticket = next_ticket()};
  return bind(engine::Kind::mutex)->attempt(claim, nullptr, soon()).has_value();
}

}  // namespace

std::span<const Exception> exceptions() { return kExceptions; }

bool is_excepted(std::string_view suite, std::string_view engine,
                 std::string_view shape) {
  return std::ranges::any_of(kExceptions, [&](const Exception& each) {
    return each.suite == suite && each.engine == engine &&
           (!each.shape || name_of(*each.shape) == shape);
  });
}

bool lacks(EngineUnderTest& engine, const Exception& exception) {
  switch (exception.lack) {
    case Lack::other_processes:
      return engine.url().empty();
    case Lack::faults:
      return engine.faults() == nullptr;
    case Lack::witness:
      return engine.open({}).session().witness() < 0;
    case Lack::order:
      return !engine.open({})
                  .traits(kind_of(exception.shape.value_or(Shape::mutex)))
                  .orders;
    case Lack::kinds:
      return mistakes_a_counter_for_a_lock(engine);
  }
  return false;
}

}  // namespace holdfast::test
