# SPDX-License-Identifier: Apache-2.0

# `cmake --install`: headers, library, program, and the files by which others find them.

include(CMakePackageConfigHelpers)

install(TARGETS holdfast holdfast_testing EXPORT holdfast-targets)
install(DIRECTORY include/holdfast TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
if(TARGET holdfast_cli)
  install(TARGETS holdfast_cli)
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

# The paths in holdfast.pc are relative to the file, so the prefix may be moved.
file(RELATIVE_PATH holdfast_prefix_from_pc
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# A static library leaves the client libraries to its users.
set(holdfast_requires "")
if(NOT BUILD_SHARED_LIBS AND HOLDFAST_ENGINE_REDIS)
  set(holdfast_requires "Requires: hiredis openssl\n")
endif()
set(holdfast_private_libs "")
if(NOT BUILD_SHARED_LIBS AND HOLDFAST_ENGINE_ZOOKEEPER)
  set(holdfast_private_libs " -lzookeeper_mt")
endif()
if(NOT BUILD_SHARED_LIBS AND HOLDFAST_ENGINE_ETCD)
  string(APPEND holdfast_private_libs
    " -lgrpc++ -lgrpc -lgpr -lprotobuf-lite -labsl_synchronization")
endif()
if(NOT BUILD_SHARED_LIBS AND HOLDFAST_ENGINE_MYSQL)
  string(APPEND holdfast_private_libs " -lmariadb")
endif()
configure_file(cmake/holdfast.pc.in ${PROJECT_BINARY_DIR}/holdfast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/holdfast.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
