// SPDX-License-Identifier: Apache-2.0

#include "scenes/scene.h"

#include <array>

#include "errors.h"
#include "scenes/parts.h"

namespace holdfast::shop {
namespace {

constexpr std::array<Scene, 7> kScenes = {{
    {"v1-stack", "a long wait takes all of the stack, and the process dies",
     v1_overflows_the_stack, holdfast_waits_in_little_stack},
    {"v2-crash", "a holder dies, and the lock stays taken for ever",
     v2_stays_locked_after_a_crash, holdfast_goes_on_after_a_crash},
    {"v3-slow", "a slow holder deletes the lock of the next one",
     v3_deletes_the_next_lock, holdfast_leaves_the_next_lock},
    {"v4-gap", "the same, between the look and the deletion", v4_deletes_it_in_the_gap,
     holdfast_leaves_the_next_lock},
    {"v5-reentry", "a holder that locks again waits for itself", v5_waits_for_itself,
     holdfast_is_reentrant},
    {"v6-expiry", "the lock expires under a slow holder, and two are inside",
     v6_expires_under_its_holder, holdfast_is_renewed},
    {"v7-pause", "a process that was stopped writes after its lease is over",
     v7_writes_after_a_pause, holdfast_is_fenced_after_a_pause},
}};

struct Part {
  std::string_view name;
  void (*play)(const Places&, const std::string&);
};

constexpr std::array<Part, 6> kSceneParts = {{
    {"v1", part_v1},
    {"holdfast-stack", part_holdfast_stack},
    {"v2", part_v2},
    {"holdfast-crash", part_holdfast_crash},
    {"v7", part_v7},
    {"holdfast-pause", part_holdfast_pause},
}};

}  // namespace

std::span<const Scene> scenes() { return kScenes; }

SceneResult play(const Scene& scene, const Stage& stage) {
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
