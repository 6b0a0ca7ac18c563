// SPDX-License-Identifier: Apache-2.0

// shop/scenes/parts.h - the scenes and their parts, which scene.cc lists.
//
// Each is in the file of its version, with the reason why the lock fails there.

#pragma once

#include "scenes/scene.h"

namespace holdfast::shop {

bool v1_overflows_the_stack(const Stage& stage);
bool holdfast_waits_in_little_stack(const Stage& stage);
void part_v1(const Places& places, const std::string& go);
void part_holdfast_stack(const Places& places, const std::string& go);

bool v2_stays_locked_after_a_crash(const Stage& stage);
bool holdfast_goes_on_after_a_crash(const Stage& stage);
void part_v2(const Places& places, const std::string& go);
void part_holdfast_crash(const Places& places, const std::string& go);

bool v3_deletes_the_next_lock(const Stage& stage);
bool v4_deletes_it_in_the_gap(const Stage& stage);
bool holdfast_leaves_the_next_lock(const Stage& stage);

bool v5_waits_for_itself(const Stage& stage);
bool holdfast_is_reentrant(const Stage& stage);

bool v6_expires_under_its_holder(const Stage& stage);
bool holdfast_is_renewed(const Stage& stage);

bool v7_writes_after_a_pause(const Stage& stage);
bool holdfast_is_fenced_after_a_pause(const Stage& stage);
void part_v7(const Places& places, const std::string& go);
void part_holdfast_pause(const Places& places, const std::string& go);

bool v5_sells_twice_after_a_failover(const Stage& stage);
bool holdfast_is_fenced_after_a_failover(const Stage& stage);
bool acknowledged_lock_is_kept(const Stage& stage);
bool quorum_keeps_the_lock(const Stage& stage);
bool zookeeper_keeps_the_lock(const Stage& stage);
bool etcd_keeps_the_lock(const Stage& stage);

bool zookeeper_watch_enters_too_early(const Stage& stage);
bool holdfast_looks_again(const Stage& stage);
void part_zookeeper_watch(const Places& places, const std::string& go);
void part_holdfast_wait(const Places& places, const std::string& go);

}  // namespace holdfast::shop
