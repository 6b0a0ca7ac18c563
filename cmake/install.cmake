# SPDX-License-Identifier: Apache-2.0

# `cmake --install`: headers, libraries, program, and the files by which others find them.

include(CMakePackageConfigHelpers)

install(TARGETS holdfast ${HOLDFAST_LIBRARIES} holdfast_testing EXPORT holdfast-targets)
install(FILES ${HOLDFAST_UNION} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/holdfast TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
if(TARGET holdfast_cli)
  install(TARGETS holdfast_cli)
endif()
if(TARGET holdfast_cli AND TARGET holdfast_demo AND BUILD_SHARED_LIBS)
  install(TARGETS holdfast_demo LIBRARY NAMELINK_SKIP)
endif()
if(TARGET holdfast_cli AND NOT CMAKE_CROSSCOMPILING)
  set(documents ${PROJECT_BINARY_DIR}/documents)
  install(DIRECTORY ${documents}/man1 TYPE MAN)
  install(DIRECTORY ${documents}/bash/ DESTINATION
    ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(DIRECTORY ${documents}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(DIRECTORY ${documents}/fish/ DESTINATION
    ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
install(EXPORT holdfast-targets NAMESPACE holdfast:: DESTINATION ${package_dir})
configure_package_config_file(cmake/holdfast-config.cmake.in
  ${PROJECT_BINARY_DIR}/holdfast-config.cmake INSTALL_DESTINATION ${package_dir})
# While the version is 0.x, a new minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/holdfast-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/holdfast-config.cmake
  ${PROJECT_BINARY_DIR}/holdfast-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/engines.cmake DESTINATION ${package_dir})

# The paths in the .pc files are relative to the file, so the prefix may be moved.
file(RELATIVE_PATH holdfast_prefix_from_pc
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})

# holdfast_pc(NAME DESCRIPTION REQUIRES LIBS)
function(holdfast_pc name description requires libs)
  string(JOIN " " requires ${requires})
  string(JOIN " " libs ${libs})
  configure_file(cmake/holdfast.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# A static library leaves the client libraries to its users.
set(redis_requires hiredis openssl)
set(zookeeper_libs -lzookeeper_mt)
set(etcd_libs -lgrpc++ -lgrpc -lgpr -lprotobuf-lite -labsl_synchronization)
set(mysql_libs -lmariadb)

holdfast_pc(holdfast-core "${PROJECT_DESCRIPTION}" "" "-lholdfast-core;-pthread")
set(engines ${HOLDFAST_LIBRARIES})
list(REMOVE_ITEM engines holdfast-core)
foreach(library IN LISTS engines)
  string(REPLACE holdfast- "" engine ${library})
  set(requires holdfast-core)
  if(BUILD_SHARED_LIBS) # as in src/CMakeLists.txt
    set(libs -Wl,--push-state,--no-as-needed,-l${library},--pop-state)
  else()
    list(APPEND requires ${${engine}_requires})
    set(libs -Wl,--undefined=holdfast_${engine}_engine_v0 -l${library} ${${engine}_libs})
  endif()
  holdfast_pc(${library} "the engine ${engine} of Holdfast" "${requires}" "${libs}")
endforeach()
holdfast_pc(holdfast "${PROJECT_DESCRIPTION}" "${engines};holdfast-core" "")
