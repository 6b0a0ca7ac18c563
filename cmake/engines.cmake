# The client libraries of the engines. Also installed, for users of the static library.

find_package(OpenSSL QUIET COMPONENTS SSL Crypto)
find_path(HOLDFAST_HIREDIS_INCLUDE hiredis/hiredis.h)
find_library(HOLDFAST_HIREDIS_LIBRARY hiredis)
set(HOLDFAST_HIREDIS_FOUND OFF)
if(OpenSSL_FOUND AND HOLDFAST_HIREDIS_INCLUDE AND HOLDFAST_HIREDIS_LIBRARY)
  set(HOLDFAST_HIREDIS_FOUND ON)
  if(NOT TARGET hiredis::hiredis)
    add_library(hiredis::hiredis UNKNOWN IMPORTED)
    set_target_properties(hiredis::hiredis PROPERTIES
      IMPORTED_LOCATION ${HOLDFAST_HIREDIS_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${HOLDFAST_HIREDIS_INCLUDE})
  endif()
endif()
mark_as_advanced(HOLDFAST_HIREDIS_INCLUDE HOLDFAST_HIREDIS_LIBRARY)
