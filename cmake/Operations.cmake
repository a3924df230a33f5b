# An operation is a folder in operations/ (operation.cpp defines it), and one in cpu/ or gpu/ for each device that computes it
# (rows.h lists its implementations, in the order of the ladder). They are found here, so that a new operation is edited
# in nowhere else. ROOT is the folder that holds operations/, cpu/ and gpu/.

# The folders of a device's operations: gemm first, the others by name.
function(gemmlab_operation_folders result root device)
  file(GLOB lists CONFIGURE_DEPENDS ${root}/${device}/*/rows.h)
  set(folders "")
  foreach(list IN LISTS lists)
    get_filename_component(folder ${list} DIRECTORY)
    get_filename_component(operation ${folder} NAME)
    if(operation STREQUAL "gemm")
      list(INSERT folders 0 ${folder})
    else()
      list(APPEND folders ${folder})
    endif()
  endforeach()
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()

# The names in a folder's rows.h: ROW(name), each a function `const Implementation& name()`.
function(gemmlab_rows_of result folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/rows.h)
  file(STRINGS ${folder}/rows.h lines REGEX "ROW\\([a-z]")
  set(names "")
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "ROW\\([a-z0-9_]+\\)" rows "${line}")
    foreach(row IN LISTS rows)
      string(REGEX REPLACE "ROW\\((.*)\\)" "\\1" name "${row}")
      list(APPEND names ${name})
    endforeach()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# The sources of a device's operations. `kernels`: those whose code lies in GEMMLAB_KERNEL_NAMESPACE, which are compiled
# once for each isa. A folder's options.cmake, where it has one, sets the properties of its sources.
macro(gemmlab_operation_sources sources kernels root device)
  set(${sources} "")
  set(${kernels} "")
  gemmlab_operation_folders(gemmlab_folders ${root} ${device})
  foreach(gemmlab_folder IN LISTS gemmlab_folders)
    file(GLOB_RECURSE gemmlab_files CONFIGURE_DEPENDS ${gemmlab_folder}/*.cpp ${gemmlab_folder}/*.cu)
    foreach(gemmlab_file IN LISTS gemmlab_files)
      file(STRINGS ${gemmlab_file} gemmlab_kernel REGEX "^namespace GEMMLAB_KERNEL_NAMESPACE" LIMIT_COUNT 1)
      if(gemmlab_kernel)
        list(APPEND ${kernels} ${gemmlab_file})
      else()
        list(APPEND ${sources} ${gemmlab_file})
      endif()
    endforeach()
    include(${gemmlab_folder}/options.cmake OPTIONAL)
  endforeach()
endmacro()

# lists/DEVICE_rows.h below `folder`: GEMMLAB_CPU_ROWS(ROW), ROW(operation, name) for every row of the device's operations below all roots;
# of the CPU's for those of GEMMLAB_ONLY_ROWS (see Only.cmake), where there are such.
function(gemmlab_write_rows folder device)
  string(TOUPPER ${device} upper)
  set(rows "")
  foreach(root IN LISTS ARGN)
    gemmlab_operation_folders(folders ${root} ${device})
    foreach(operation IN LISTS folders)
      gemmlab_rows_of(names ${operation})
      get_filename_component(operation ${operation} NAME)
      foreach(name IN LISTS names)
        if(device STREQUAL "cpu" AND GEMMLAB_ONLY_ROWS AND NOT (operation STREQUAL "gemm" AND name IN_LIST GEMMLAB_ONLY_ROWS))
          continue()
        endif()
        string(APPEND rows " \\\n  ROW(${operation}, ${name})")
      endforeach()
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/lists/${device}_rows.h @ONLY CONTENT "#pragma once
// Made by cmake/Operations.cmake from ${device}/*/rows.h.
#define GEMMLAB_${upper}_ROWS(ROW)${rows}
")
endfunction()

# lists/operations.h below `folder`: GEMMLAB_OPERATIONS(OPERATION), the operations of all roots, gemm first; gemm alone
# where there are GEMMLAB_ONLY_ROWS.
function(gemmlab_write_operations folder)
  set(operations "")
  foreach(root IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS ${root}/operations/*/operation.cpp)
    foreach(file IN LISTS files)
      get_filename_component(name ${file} DIRECTORY)
      get_filename_component(name ${name} NAME)
      if(name STREQUAL "gemm")
        list(INSERT operations 0 ${name})
      elseif(NOT GEMMLAB_ONLY_ROWS)
        list(APPEND operations ${name})
      endif()
    endforeach()
  endforeach()
  list(TRANSFORM operations REPLACE "(.+)" " OPERATION(\\1)")
  string(JOIN "" operations ${operations})
  file(CONFIGURE OUTPUT ${folder}/lists/operations.h @ONLY CONTENT "#pragma once
// Made by cmake/Operations.cmake from operations/*/operation.cpp.
#define GEMMLAB_OPERATIONS(OPERATION)${operations}
")
endfunction()
