# SPDX-License-Identifier: Apache-2.0

# Engines: one option each. One with a client library is ON, OFF or AUTO: on when that
# library is found. AUTO is asked anew each time CMake runs, so that a build folder that
# was configured before the packages were installed has the engine afterwards.

option(HOLDFAST_ENGINE_LOCAL "local: processes of one host, over shared memory" ON)
include(${CMAKE_CURRENT_LIST_DIR}/engines.cmake)

# holdfast_engine_option(NAME FOUND PACKAGES): makes HOLDFAST_ENGINE_<NAME> true or false
# here and below.
function(holdfast_engine_option name found packages)
  set(option HOLDFAST_ENGINE_${name})
  string(TOLOWER ${name} engine)
  set(${option} AUTO CACHE STRING "${engine}: ON, OFF, or AUTO: if there is ${packages}")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if("${${option}}" STREQUAL AUTO)
    set(${option} ${found} PARENT_SCOPE)
    if(NOT found)
      message(STATUS "without the engine ${engine}: it needs ${packages}")
    endif()
  elseif(${option} AND NOT found)
    message(FATAL_ERROR "the ${engine} engine needs ${packages}")
  endif()
endfunction()

set(HOLDFAST_ETCD_FOUND OFF)
if(HOLDFAST_GRPC_FOUND AND HOLDFAST_PROTOC)
  set(HOLDFAST_ETCD_FOUND ON)
endif()
holdfast_engine_option(REDIS ${HOLDFAST_HIREDIS_FOUND} "libhiredis-dev and libssl-dev")
holdfast_engine_option(ZOOKEEPER ${HOLDFAST_LIBZOOKEEPER_FOUND} "libzookeeper-mt-dev")
holdfast_engine_option(ETCD ${HOLDFAST_ETCD_FOUND}
  "libgrpc++-dev, libprotobuf-dev and protobuf-compiler")
holdfast_engine_option(MYSQL ${HOLDFAST_LIBMARIADB_FOUND} "libmariadb-dev")
