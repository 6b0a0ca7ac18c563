# SPDX-License-Identifier: Apache-2.0

# cmake -DFROM=<scripts> -DTO=<scripts.cc> -P scripts.cmake
#
# Says which files make up which script, and writes the scripts, with their SHA-1, as
# C++. The line of the licence is left out: a server need not keep it.

set(scripts
  "lock_attempt:ours clock token record lock_hash lock_attempt"
  "lock_drop:ours lock_hash publish lock_release owner drop clock token record hand_over lock_drop"
  "lock_renew:lock_hash renew lock_renew"
  "lock_keep:ours clock keep lock_hash lock_keep"
  "lock_amend:clock record lock_hash lock_amend"
  "lock_survey:ours lock_hash lock_survey"
  "string_attempt:ours clock token record lock_string lock_attempt"
  "string_drop:ours lock_string publish lock_release owner drop clock token record hand_over lock_drop"
  "string_renew:lock_string renew lock_renew"
  "string_amend:clock record lock_string lock_amend"
  "string_survey:ours lock_string lock_survey"
  "fair_attempt:ours clock token record lock_hash fair_take publish owner hand_over fair_queue fair_stay fair_attempt"
  "fair_drop:ours lock_hash publish fair_release owner drop clock token record hand_over fair_queue fair_drop"
  "fair_keep:ours clock keep lock_hash fair_waiter fair_queue fair_stay fair_keep"
  "shared_attempt:publish owner clock token record queue shared shared_attempt"
  "shared_drop:publish owner drop clock record queue shared shared_drop"
  "shared_renew:renew shared_renew"
  "shared_keep:publish owner clock keep queue shared shared_keep"
  "shared_amend:publish owner clock record queue shared shared_amend"
  "shared_survey:shared shared_survey"
  "permits_attempt:publish owner clock record queue permits permits_attempt"
  "permits_drop:publish owner drop clock record queue permits permits_drop"
  "permits_renew:clock permits renew permits_renew"
  "permits_keep:publish owner clock keep queue permits permits_keep"
  "permits_amend:publish owner clock record queue permits permits_amend"
  "permits_survey:clock permits permits_survey"
  "permits_load:clock permits_load"
  "permits_exchange:publish owner clock record queue permits outcome permits_exchange"
  "plain_attempt:publish owner clock record queue permits plain_attempt"
  "plain_drop:publish owner drop clock record queue permits plain_drop"
  "plain_keep:publish owner clock keep queue permits plain_keep"
  "plain_amend:publish owner clock record queue permits plain_amend"
  "plain_survey:plain_survey"
  "barrier_attempt:publish owner clock record barrier_attempt"
  "barrier_drop:publish drop barrier_drop"
  "barrier_renew:renew barrier_renew"
  "barrier_keep:clock keep barrier_keep"
  "barrier_amend:clock record barrier_amend"
  "barrier_survey:barrier_survey"
  "value_add:publish outcome value_add"
  "value_exchange:publish outcome value_exchange"
  "register_add:publish clock outcome register register_add"
  "register_exchange:publish clock outcome register register_exchange"
  "list:list")

set(code "#include \"engines/redis/transport/script.h\"\n\nnamespace holdfast::redis::scripts {\n\n")
foreach(row IN LISTS scripts)
  string(REGEX MATCH "^([a-z_]+):(.*)$" row "${row}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE " " ";" files "${CMAKE_MATCH_2}")
  set(text "")
  foreach(file IN LISTS files)
    file(READ ${FROM}/${file}.lua part)
    string(REPLACE "-- SPDX-License-Identifier: Apache-2.0\n\n" "" part "${part}")
    string(APPEND text "${part}")
  endforeach()
  string(SHA1 sha "${text}")
  string(APPEND code "constinit const Script ${name}{\"${sha}\", R\"lua(${text})lua\"};\n\n")
endforeach()
string(APPEND code "}  // namespace holdfast::redis::scripts\n")
file(WRITE ${TO} "${code}")
