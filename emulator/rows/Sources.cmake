# Which of gpu/'s rows can be run on a CPU, and the sources that they are made of.

set(GEMMLAB_EMULATION_STAND_INS ${CMAKE_CURRENT_LIST_DIR}/stand_ins)

# The file that is compiled in the place of gpu/..., itself where there is no stand-in.
function(gemmlab_emulated_form result file)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
  if(EXISTS ${GEMMLAB_EMULATION_STAND_INS}/${name})
    set(file ${GEMMLAB_EMULATION_STAND_INS}/${name})
  endif()
  set(${result} ${file} PARENT_SCOPE)
endfunction()

# What of gpu/ the rows stand on besides their operations' folders.
set(GEMMLAB_EMULATED_MACHINERY device/cluster.cu device/device.cpp device/dynamic_library.cpp device/resources.cpp
  device/scaled_sum.cu libraries/nccl.cpp libraries/nccl_library.cpp)

# `rows`: the names of those that can be emulated, in the order of the ladder; `left_out`: NAME=REASON of the others, which say
# needs=… in rows.txt; `sources`: the .cpp and .cu files of all in `rows`. Folders that are named after a row are its own; what calls
# a library of the GPU's maker is named after that.
function(gemmlab_emulated_rows rows left_out sources)
  set(reason_card "it measures a card itself")
  set(reason_library "it calls a library of the GPU's maker")
  set(can "")
  set(cannot "")
  list(TRANSFORM GEMMLAB_EMULATED_MACHINERY PREPEND ${PROJECT_SOURCE_DIR}/gpu/ OUTPUT_VARIABLE files)
  gemmlab_operation_folders(folders ${PROJECT_SOURCE_DIR} gpu)
  foreach(folder IN LISTS folders)
    gemmlab_rows_of(names ${folder} EXCLUDE REGEX " needs=")
    list(APPEND can ${names})
    file(GLOB_RECURSE units CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.cu)
    list(FILTER units EXCLUDE REGEX "/cu(blas|sparse)[^/]*$")
    foreach(need card library)
      gemmlab_rows_of(needing ${folder} INCLUDE REGEX " needs=${need}")
      foreach(name IN LISTS needing)
        list(APPEND cannot "${name}=${reason_${need}}")
        gemmlab_unit_of(unit ${folder} ${name})
        list(REMOVE_ITEM units ${unit})
        list(FILTER units EXCLUDE REGEX "^${folder}/${name}/")
      endforeach()
    endforeach()
    if(names)
      list(APPEND files ${units})
    endif()
  endforeach()
  set(${rows} "${can}" PARENT_SCOPE)
  set(${left_out} "${cannot}" PARENT_SCOPE)
  set(${sources} "${files}" PARENT_SCOPE)
endfunction()
