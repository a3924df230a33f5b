# gemmlab::hwloc. In programs it is linked statically where its archive needs no more than Debian's does: they must run where the package is
# not installed. That archive cannot go into a shared library (it is not position-independent), and asks udev for the names of disks:
# core/machine/without_udev.cpp answers that there is none.
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_library(GEMMLAB_HWLOC_ARCHIVE libhwloc.a HINTS ${HWLOC_LIBRARY_DIRS})
set(gemmlab_more ${HWLOC_STATIC_LIBRARIES})
list(REMOVE_ITEM gemmlab_more hwloc m pthread udev)

add_library(gemmlab_hwloc INTERFACE)
add_library(gemmlab::hwloc ALIAS gemmlab_hwloc)
target_include_directories(gemmlab_hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIRS})
if(GEMMLAB_HWLOC_ARCHIVE AND NOT gemmlab_more AND NOT GEMMLAB_SANITIZE)
  target_link_libraries(gemmlab_hwloc INTERFACE
    $<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,${GEMMLAB_HWLOC_ARCHIVE},PkgConfig::HWLOC>)
else()
  target_link_libraries(gemmlab_hwloc INTERFACE PkgConfig::HWLOC)
endif()
