# Under a sanitizer, a process for each case costs more than the cases do. `./dev shards`
# runs each program in a few shards instead, and there an engine's server starts once.

set(left_out "")

# leave_out(SANITIZERS WHAT PATTERN...): .ci/run says so, and ./dev soak runs them.
function(leave_out sanitizers what)
  if(HOLDFAST_SANITIZE MATCHES "${sanitizers}")
    set(left_out "${left_out}" ${ARGN} PARENT_SCOPE)
  endif()
endfunction()

leave_out("address|thread" "deaths and restarts, which wait for leases to end"
  *Deaths.*/redis* *Deaths.*/zookeeper* *Deaths.*/etcd* *Deaths.*/mysql* *Restarts.*)
leave_out("address|thread" "processes that are killed, which show nothing to a sanitizer"
  *Kills.* KillStorm.* *.KilledProcesses*)
leave_out("address|thread" "servers of three, which need the machine for themselves"
  Ensemble.* ZookeeperEnsemble.* EtcdClusters.*)
leave_out("address|thread" "mysql without bells, which has the same code but for them"
  */mysql_rows*)
leave_out("address|thread" "counts of requests, to which a slow process adds its looks"
  Counts.* EtcdCounts.* MysqlCounts.*)
leave_out("thread" "models, but for local and redis"
  Model*/quorum* Model*/zookeeper* Model*/etcd* Model*/mysql*)
list(JOIN left_out : left_out)

# shards(PROGRAM NAME NUMBER PATTERN [EXCEPT...]): the last is a list of patterns, too.
function(shards program name number pattern)
  if(NOT TARGET ${program})
    return()
  endif()
  add_dependencies(shards ${program})
  list(JOIN ARGN : except)
  math(EXPR last "${number} - 1")
  foreach(index RANGE ${last})
    set(test shards.${program}.${name}.${index})
    add_test(NAME ${test}
      COMMAND ${program} --gtest_brief=1 "--gtest_filter=${pattern}-${left_out}:${except}")
    set_tests_properties(${test} PROPERTIES LABELS shards TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${number};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

add_custom_target(shards)

# The longest first.
set(engines etcd zookeeper mysql redis quorum local fake)
foreach(engine IN LISTS engines)
  if(HOLDFAST_SANITIZE STREQUAL "thread" AND engine MATCHES "etcd|zookeeper|mysql")
    shards(${engine}_fault_tests storms 1 *Storm.*)
  else()
    shards(${engine}_fault_tests all 2 *)
  endif()
endforeach()
foreach(engine IN LISTS engines)
  shards(conformance_tests ${engine} 2 */${engine}*)
endforeach()
list(TRANSFORM engines REPLACE "(.+)" "*/\\1*")
shards(conformance_tests rest 1 * ${engines})
# After a fork that is only played, a process is not fit for other cases.
shards(unit_tests forks 1 ForkEpochTest.*)
shards(unit_tests rest 1 * ForkEpochTest.*)
shards(support_tests all 1 *)
shards(fault_tests all 1 *)
