# An operation is a folder in operations/ (operation.cpp defines it), and one in cpu/ or gpu/ for each device that computes it
# (rows.txt lists its implementations, in the order of the ladder). They are found here, so that a new operation is edited
# in nowhere else. ROOT is the folder that holds operations/, cpu/ and gpu/.

# The folders of a device's operations: gemm first, the others by name.
function(gemmlab_operation_folders result root device)
  file(GLOB lists CONFIGURE_DEPENDS ${root}/${device}/*/rows.txt)
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

# The names in a folder's rows.txt, in its order: all, or those of the lines that `list(FILTER … ARGN)` leaves, as EXCLUDE REGEX " once".
function(gemmlab_rows_of result folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/rows.txt)
  file(STRINGS ${folder}/rows.txt rows REGEX "^ *[a-z]")
  list(TRANSFORM rows STRIP)
  if(ARGN)
    list(FILTER rows ${ARGN})
  endif()
  list(TRANSFORM rows REPLACE " .*" "")
  set(${result} "${rows}" PARENT_SCOPE)
endfunction()

# The source of one of these names: its line says file=FILE, or it is the file of that name.
function(gemmlab_unit_of result folder name)
  file(STRINGS ${folder}/rows.txt line REGEX "^ *${name}( |$)")
  if(line MATCHES " file=([^ ]+)")
    set(unit ${folder}/${CMAKE_MATCH_1})
  else()
    file(GLOB unit ${folder}/${name}.cpp ${folder}/${name}.cu)
  endif()
  if(NOT EXISTS "${unit}")
    message(FATAL_ERROR "${folder}/rows.txt: there is no file of the row ${name}: it is ${name}.cpp or ${name}.cu, or the line says file=FILE")
  endif()
  set(${result} "${unit}" PARENT_SCOPE)
endfunction()

# The sources of a device's operations. `kernels`: those that are compiled once for each isa, the CPU's rows that do not say `once`
# with what lies in a folder of their name. A folder's options.cmake, where it has one, sets the properties of its sources.
macro(gemmlab_operation_sources sources kernels root device)
  set(${sources} "")
  set(${kernels} "")
  gemmlab_operation_folders(gemmlab_folders ${root} ${device})
  foreach(gemmlab_folder IN LISTS gemmlab_folders)
    file(GLOB_RECURSE gemmlab_files CONFIGURE_DEPENDS ${gemmlab_folder}/*.cpp ${gemmlab_folder}/*.cu)
    list(APPEND ${sources} ${gemmlab_files})
    if(${device} STREQUAL "cpu")
      gemmlab_rows_of(gemmlab_rows ${gemmlab_folder} EXCLUDE REGEX " once")
      foreach(gemmlab_row IN LISTS gemmlab_rows)
        gemmlab_unit_of(gemmlab_unit ${gemmlab_folder} ${gemmlab_row})
        file(GLOB_RECURSE gemmlab_files CONFIGURE_DEPENDS ${gemmlab_folder}/${gemmlab_row}/*.cpp)
        list(APPEND ${kernels} ${gemmlab_unit} ${gemmlab_files})
      endforeach()
    endif()
    include(${gemmlab_folder}/options.cmake OPTIONAL)
  endforeach()
  if(${kernels})
    list(REMOVE_ITEM ${sources} ${${kernels}})
  endif()
endmacro()

# lists/DEVICE_rows.h below `folder`: GEMMLAB_CPU_ROWS(ROW), ROW(operation, name) for every row of the device's operations below all roots,
# and lists/cpu_methods.h: GEMMLAB_GEMM_METHODS(ROW), ROW(name) for those rows of an operation that do not say `once`. Of the CPU's those
# of GEMMLAB_ONLY alone (see Only.cmake), where it names any.
function(gemmlab_write_rows folder device)
  string(TOUPPER ${device} upper)
  set(rows "")
  set(methods "")
  foreach(root IN LISTS ARGN)
    gemmlab_operation_folders(folders ${root} ${device})
    foreach(operation_folder IN LISTS folders)
      get_filename_component(operation ${operation_folder} NAME)
      gemmlab_rows_of(names ${operation_folder})
      gemmlab_rows_of(several ${operation_folder} EXCLUDE REGEX " once")
      string(TOUPPER ${operation} upper_operation)
      string(APPEND methods "#define GEMMLAB_${upper_operation}_METHODS(ROW)")
      foreach(name IN LISTS names)
        if(device STREQUAL "cpu" AND GEMMLAB_ONLY AND NOT (operation STREQUAL "gemm" AND name IN_LIST GEMMLAB_ONLY))
          continue()
        endif()
        string(APPEND rows " \\\n  ROW(${operation}, ${name})")
        if(name IN_LIST several)
          string(APPEND methods " ROW(${name})")
        endif()
      endforeach()
      string(APPEND methods "\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/lists/${device}_rows.h @ONLY CONTENT "#pragma once
// Made by cmake/Operations.cmake from ${device}/*/rows.txt.
#define GEMMLAB_${upper}_ROWS(ROW)${rows}
")
  if(device STREQUAL "cpu")
    file(CONFIGURE OUTPUT ${folder}/lists/cpu_methods.h @ONLY CONTENT "#pragma once
// Made by cmake/Operations.cmake from cpu/*/rows.txt.
${methods}")
  endif()
endfunction()

# lists/operations.h below `folder`: GEMMLAB_OPERATIONS(OPERATION), the operations of all roots, gemm first; gemm alone
# where GEMMLAB_ONLY names rows.
function(gemmlab_write_operations folder)
  set(operations "")
  foreach(root IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS ${root}/operations/*/operation.cpp)
    foreach(file IN LISTS files)
      get_filename_component(name ${file} DIRECTORY)
      get_filename_component(name ${name} NAME)
      if(name STREQUAL "gemm")
        list(INSERT operations 0 ${name})
      elseif(NOT GEMMLAB_ONLY)
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
