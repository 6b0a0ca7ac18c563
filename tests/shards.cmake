# SPDX-License-Identifier: Apache-2.0

# A process for each case costs more than most cases do. `./dev test` runs each program in
# a few shards instead, and there an engine's server starts once; so does `./dev shards`
# under a sanitizer. Each case is a test of its own, too, for `./dev test -R NAME`.

set(left_out "")

# leave_out(SANITIZERS WHAT PATTERN...): .ci/run says so, and ./dev soak runs them.
function(leave_out sanitizers what)
  if(HOLDFAST_SANITIZE MATCHES "${sanitizers}")
    set(left_out "${left_out}" ${ARGN} PARENT_SCOPE)
  endif()
endfunction()

leave_out("address|thread" "deaths and restarts, which wait for leases to end"
  *Deaths.*/redis* *Deaths.*/zookeeper* *Deaths.*/etcd* *Deaths.*/mysql* *Restarts.*
  DurableServers.*/zookeeper)
leave_out("address|thread" "processes that are killed, which show nothing to a sanitizer"
  *Kills.* KillStorm.* *.KilledProcesses*)
leave_out("address|thread" "a thread in a child of fork(), which sanitizers do not allow"
  ForkEpochTest.AsynchronousCallsFailInAChild)
leave_out("address|thread" "servers of three, which need the machine for themselves"
  Ensemble.* ZookeeperEnsemble.* EtcdClusters.* *RedisCluster* */redis_cluster*)
leave_out("" "deaths, restarts and models on a Redis Cluster, which six servers make slow"
  *Deaths.*/redis_cluster* *Restarts.*/redis_cluster* Model*/redis_cluster*)
leave_out("" "deaths, models and most restarts of redis behind sentinels")
leave_out("address|thread" "redis behind sentinels, which differs in how it connects"
  */redis_sentinel*)
leave_out("address|thread" "windows of two holders, which are measured between processes"
  RedisFailoverWindow.*)
leave_out("address|thread" "mysql without bells, which has the same code but for them"
  */mysql_rows*)
leave_out("address|thread" "counts of requests, to which a slow process adds its looks"
  Counts.* EtcdCounts.* MysqlCounts.* RedisRest.AThousand*)
leave_out("thread" "models, but for local and redis"
  Model*/quorum* Model*/zookeeper* Model*/etcd* Model*/mysql*)
list(JOIN left_out : left_out)

add_custom_target(shards)
set(list ${CMAKE_CURRENT_BINARY_DIR}/shards.txt)
file(WRITE ${list} "")

# shards(PROGRAM NAME NUMBER PATTERNS EXCEPT [PROPERTY VALUE]...): PATTERNS and EXCEPT are
# separated by colons. Each case is in the shards of one line; packaging.shards checks it.
function(shards program name number patterns except)
  if(NOT TARGET ${program})
    return()
  endif()
  add_dependencies(shards ${program})
  file(APPEND ${list} "${program} ${patterns}-${except}\n")
  if(HOLDFAST_SANITIZE AND number GREATER 2)
    set(number 2)
  endif()
  math(EXPR last "${number} - 1")
  foreach(index RANGE ${last})
    set(test shards.${program}.${name}.${index})
    add_test(NAME ${test}
      COMMAND ${program} "--gtest_filter=${patterns}-${left_out}:${except}")
    set_tests_properties(${test} PROPERTIES LABELS shards TIMEOUT 900 COST 50
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${number};GTEST_SHARD_INDEX=${index}" ${ARGN})
  endforeach()
endfunction()

# in_no_shard(PROGRAM PATTERNS EXCEPT): a line for cases that no shard runs; leave_out
# says which they are.
function(in_no_shard program patterns except)
  if(TARGET ${program})
    file(APPEND ${list} "${program} ${patterns}-${except}\n")
  endif()
endfunction()

# Cases with three servers run alone, those that start a ZooKeeper one after the other:
# Java machines that start hold everything else up.
set(ensembles Ensemble.*:CutOffFollower.*:EtcdClusters.*:ZookeeperEnsemble.*)
set(own_zookeeper
  ZookeeperDiskFull.*:Wrap.*:DurableServers.*/zookeeper:*Restarts.*/zookeeper*)
set(sentinels */redis_sentinel*)
set(apart ${ensembles}:${own_zookeeper}:${sentinels})

# Every case of conformance_tests runs on each of these. Those with servers have fault tests
# of their own, too.
set(engines_with_servers mysql etcd zookeeper redis quorum)
set(engines ${engines_with_servers} local fake toy)

# The longest first, and all of them before what is short: in a new build folder ctest does
# not know yet how long they take.
foreach(engine IN LISTS engines_with_servers)
  if(HOLDFAST_SANITIZE STREQUAL "thread" AND engine MATCHES "etcd|zookeeper|mysql")
    shards(${engine}_fault_tests storms 1 *Storm.* "" COST 60)
  else()
    shards(${engine}_fault_tests all 5 * ${apart} COST 60)
  endif()
endforeach()
set(rest "")
foreach(engine IN LISTS engines)
  shards(conformance_tests ${engine} 5 */${engine}* ${apart})
  list(APPEND rest */${engine}*)
endforeach()
list(JOIN rest : rest)
shards(conformance_tests rest 1 * ${rest})

# Behind sentinels a client has the scripts of redis, and other connections.
set(slow *Deaths.*/redis_sentinel*:Model*/redis_sentinel*)
set(restarts *Restarts.*/redis_sentinel*)
set(chosen
  BlockingPrimitiveRestarts.*/redis_sentinel_mutex:BlockingPrimitiveRestarts.*/redis_sentinel_semaphore)
shards(conformance_tests sentinels 2 ${sentinels} ${slow}:${restarts})
shards(conformance_tests sentinel_restarts 1 ${chosen} "")
in_no_shard(conformance_tests ${slow} "")
in_no_shard(conformance_tests ${restarts} ${chosen})

# The cases run a second time, through the asynchronous forms (conformance/forms.h): all
# of them on local and redis, and without a sanitizer on the fake engine; one shape, and the
# suites that are short, on the others.
set(forms Exclusion BlockingPrimitives Tokens MutexCases RecursiveMutexCases SharedMutexes Semaphores
  Elections MultiLocks Latches Counters SharedCounts DoubleBarriers Loss Close Outages
  Observers)
set(few_forms MultiLocks RecursiveMutexCases Close)
if(TARGET conformance_tests)
  foreach(engine IN LISTS engines)
    set(cases "")
    set(number 2)
    if(engine MATCHES "redis|local" OR (engine STREQUAL "fake" AND NOT HOLDFAST_SANITIZE))
      foreach(suite IN LISTS forms)
        list(APPEND cases ${suite}.*/${engine}*)
      endforeach()
    else()
      set(number 1)
      foreach(suite IN ITEMS Exclusion BlockingPrimitives Tokens)
        list(APPEND cases ${suite}.*/${engine}_mutex)
      endforeach()
      foreach(suite IN LISTS few_forms)
        list(APPEND cases ${suite}.*/${engine}*)
      endforeach()
    endif()
    list(JOIN cases : cases)
    math(EXPR last "${number} - 1")
    foreach(index RANGE ${last})
      set(test shards.conformance_tests.async.${engine}.${index})
      add_test(NAME ${test}
        COMMAND conformance_tests "--gtest_filter=${cases}-${left_out}:${apart}:*/redis_cluster*")
      set_tests_properties(${test} PROPERTIES LABELS shards TIMEOUT 900 COST 50
        ENVIRONMENT
        "HOLDFAST_TEST_ASYNC=1;GTEST_TOTAL_SHARDS=${number};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endforeach()
endif()
shards(fault_tests all 2 * "")
shards(unreachable_tests all 1 * "")
# After a fork that is only played, a process is not fit for other cases.
shards(unit_tests forks 1 ForkEpochTest.* "")
shards(unit_tests rest 1 * ForkEpochTest.*)
shards(support_tests all 1 * ${apart})
shards(adapter_tests all 1 * "")

if(NOT HOLDFAST_SANITIZE)
  shards(cli_tests all 5 * "")
  shards(crash_point_tests all 2 * "")
  shards(no_memory_tests all 2 * "") # a case, a process
  shards(zookeeper_no_memory_tests all 1 * "")
  set(shop_ensembles Holes/*/failover_zookeeper:Holes/*/failover_etcd)
  shards(shop_tests sales 2 * Holes/*)
  shards(shop_tests scenes 1 Holes/* ${shop_ensembles})
  shards(shop_tests ensembles 1 ${shop_ensembles} "" RUN_SERIAL ON)
endif()
if(NOT HOLDFAST_SANITIZE STREQUAL "thread")
  foreach(program IN ITEMS conformance zookeeper_fault)
    shards(${program}_tests own_zookeeper 1 ${own_zookeeper} ""
      RESOURCE_LOCK zookeeper_of_its_own)
  endforeach()
  foreach(program IN ITEMS zookeeper_fault etcd_fault support)
    shards(${program}_tests ensembles 1 ${ensembles} "" RUN_SERIAL ON)
  endforeach()
endif()
