# SPDX-License-Identifier: Apache-2.0

# An overlay port: it builds the tree that it lies in.
get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  redis HOLDFAST_ENGINE_REDIS
  mysql HOLDFAST_ENGINE_MYSQL
  tools HOLDFAST_BUILD_TOOLS)
vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH} OPTIONS ${features}
  -DHOLDFAST_ENGINE_ZOOKEEPER=OFF
  -DHOLDFAST_ENGINE_ETCD=OFF
  -DHOLDFAST_BUILD_DEMO=OFF
  -DHOLDFAST_BUILD_EXAMPLES=OFF
  -DHOLDFAST_BUILD_BENCH=OFF
  -DHOLDFAST_BUILD_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/holdfast)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES holdfast AUTO_CLEAN)
endif()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
