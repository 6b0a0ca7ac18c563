// SPDX-License-Identifier: Apache-2.0

#include "scenes/scene.h"

#include <array>

#include "errors.h"
#include "scenes/parts.h"

namespace holdfast::shop {
namespace {

constexpr std::array<Scene, 13> kScenes = {{
    {"v1-stack", "a long wait takes all of the stack, and the process dies", "redis",
     v1_overflows_the_stack, holdfast_waits_in_little_stack},
    {"v2-crash", "a holder dies, and the lock stays taken for ever", "redis",
     v2_stays_locked_after_a_crash, holdfast_goes_on_after_a_crash},
    {"v3-slow", "a slow holder deletes the lock of the next one", "redis",
     v3_deletes_the_next_lock, holdfast_leaves_the_next_lock},
    {"v4-gap", "the same, between the look and the deletion", "redis",
     v4_deletes_it_in_the_gap, holdfast_leaves_the_next_lock},
    {"v5-reentry", "a holder that locks again waits for itself", "redis",
     v5_waits_for_itself, holdfast_is_reentrant},
    {"v6-expiry", "the lock expires under a slow holder, and two are inside", "redis",
     v6_expires_under_its_holder, holdfast_is_renewed},
    {"v7-pause", "a process that was stopped writes after its lease is over", "redis",
     v7_writes_after_a_pause, holdfast_is_fenced_after_a_pause},
    {"failover", "a replica is promoted without the lock, and two sell the same item",
     "redis", v5_sells_twice_after_a_failover, holdfast_is_fenced_after_a_failover},
    {"failover-ack", "the same, beside ?ack: no grant without the replica", "redis",
     v5_sells_twice_after_a_failover, acknowledged_lock_is_kept},
    {"failover-quorum", "the same, beside a majority of three servers", "redis",
     v5_sells_twice_after_a_failover, quorum_keeps_the_lock},
    {"failover-zookeeper", "the same, beside an ensemble that loses its leader",
     "redis", v5_sells_twice_after_a_failover, zookeeper_keeps_the_lock},
    {"failover-etcd", "the same, beside a cluster that loses its leader", "redis",
     v5_sells_twice_after_a_failover, etcd_keeps_the_lock},
    {"zookeeper-watch", "a waiter dies, and the one behind it enters beside the holder",
     "zookeeper", zookeeper_watch_enters_too_early, holdfast_looks_again},
}};

struct Part {
  std::string_view name;
  void (*play)(const Places&, const std::string&);
};

constexpr std::array<Part, 8> kSceneParts = {{
    {"v1", part_v1},
    {"holdfast-stack", part_holdfast_stack},
    {"v2", part_v2},
    {"holdfast-crash", part_holdfast_crash},
    {"v7", part_v7},
    {"holdfast-pause", part_holdfast_pause},
    {"zookeeper-watch", part_zookeeper_watch},
    {"holdfast-wait", part_holdfast_wait},
}};

}  // namespace

std::span<const Scene> scenes() { return kScenes; }

SceneResult play(const Scene& scene, Servers& servers, const std::string& program,
                 const std::string& dir) {
  servers.start(Needs::redis);
  if (scene.engine == "zookeeper") servers.start(Needs::zookeeper);
  Stage stage{.program = program, .dir = dir, .places = servers.places()};
  stage.places.lock_url = servers.url(scene.engine);
  return {.scene = &scene,
          .hole_shown = scene.hole(stage),
          .holdfast_whole = scene.whole(stage)};
}

void play_part(std::string_view name, const std::string& go) {
  for (const Part& part : kSceneParts) {
    if (part.name == name) return part.play(Places::from_environment(), go);
  }
  throw Trouble(kUsage, "there is no part '" + std::string(name) + "' in any scene");
}

}  // namespace holdfast::shop
