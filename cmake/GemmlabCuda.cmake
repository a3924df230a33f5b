# Decides GEMMLAB_CUDA_ENABLED from GEMMLAB_CUDA (AUTO, ON, OFF) and enables the CUDA language where it is TRUE.
# Architectures: those of the GPUs that are here, else the list below. CMAKE_CUDA_ARCHITECTURES or CUDAARCHS overrules.

set(GEMMLAB_CUDA_ENABLED FALSE)
string(TOUPPER "${GEMMLAB_CUDA}" gemmlab_cuda_wish)
if(NOT gemmlab_cuda_wish MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "GEMMLAB_CUDA is '${GEMMLAB_CUDA}'; it may be AUTO, ON or OFF.")
endif()
if(gemmlab_cuda_wish STREQUAL "OFF")
  message(STATUS "GPU side: left out (GEMMLAB_CUDA=OFF)")
  return()
endif()

# Real code for every architecture of note, and PTX that later cards compile for themselves.
set(GEMMLAB_CUDA_EVERYWHERE 75-real 80 86-real 89-real 90a-real 100-real 120-real)

# Of a target with code for all of these nvcc reads a source in four turns instead of seven, which is most of a kernel's time: those of
# 8.x become one another's in ptxas alone, as those of 10.0 and 12.0 do. Behind the target: SOURCES that tell them apart.
function(gemmlab_read_once_for_all target)
  if(NOT "${CMAKE_CUDA_ARCHITECTURES}" STREQUAL "${GEMMLAB_CUDA_EVERYWHERE}")
    return()
  endif()
  set(each "")
  foreach(architecture IN LISTS GEMMLAB_CUDA_EVERYWHERE)
    string(REGEX REPLACE "-.*" "" number ${architecture})
    list(APPEND each --generate-code=arch=compute_${number},code=[sm_${number}])
  endforeach()
  set(together --generate-code=arch=compute_75,code=[sm_75] --generate-code=arch=compute_80,code=[compute_80,sm_80,sm_86,sm_89]
    --generate-code=arch=compute_90a,code=[sm_90a] --generate-code=arch=compute_90,code=[sm_100,sm_120])
  set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES OFF)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    if(source MATCHES "[.]cu$")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE file)
      set(options ${together})
      if(file IN_LIST ARGN)
        set(options ${each})
      endif()
      set_property(SOURCE ${file} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${options})
    endif()
  endforeach()
endfunction()

# ---- nvcc -----------------------------------------------------------------------------------------------------------
find_program(GEMMLAB_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin /opt/cuda/bin DOC "The CUDA compiler")
if(CMAKE_CUDA_COMPILER)
  set(gemmlab_nvcc ${CMAKE_CUDA_COMPILER})
elseif(EXISTS "$ENV{CUDACXX}")
  set(gemmlab_nvcc $ENV{CUDACXX})
elseif(GEMMLAB_NVCC)
  set(gemmlab_nvcc ${GEMMLAB_NVCC})
else()
  if(gemmlab_cuda_wish STREQUAL "ON")
    message(FATAL_ERROR "GEMMLAB_CUDA=ON, but nvcc was not found on PATH, in CUDACXX or in /usr/local/cuda/bin. "
                        "Install the CUDA toolkit (12.0 or later) or configure with -DGEMMLAB_CUDA=OFF.")
  endif()
  message(STATUS "GPU side: left out (nvcc was not found)")
  return()
endif()

# ---- the GPUs of this machine ---------------------------------------------------------------------------------------
set(gemmlab_gpu_present FALSE)
set(gemmlab_capabilities "")
find_program(GEMMLAB_NVIDIA_SMI nvidia-smi DOC "Lists the GPUs of this machine")
if(GEMMLAB_NVIDIA_SMI)
  execute_process(COMMAND ${GEMMLAB_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE gemmlab_smi ERROR_QUIET RESULT_VARIABLE gemmlab_smi_rc TIMEOUT 60)
  if(gemmlab_smi_rc EQUAL 0)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" gemmlab_capabilities "${gemmlab_smi}")
  endif()
endif()
if(gemmlab_capabilities OR EXISTS /dev/nvidia0)
  set(gemmlab_gpu_present TRUE)
endif()
if(gemmlab_cuda_wish STREQUAL "AUTO" AND NOT gemmlab_gpu_present)
  message(STATUS "GPU side: left out (nvcc is here, but no GPU; -DGEMMLAB_CUDA=ON builds it all the same)")
  return()
endif()

# ---- architectures --------------------------------------------------------------------------------------------------
# Keeps the architectures that this nvcc knows: each release adds some and drops some. Asked with --dryrun, since
# --list-gpu-code leaves out sm_90a.
function(gemmlab_known_architectures output)
  set(known "")
  foreach(architecture IN LISTS ARGN)
    string(REGEX REPLACE "-.*" "" number ${architecture})
    execute_process(COMMAND ${gemmlab_nvcc} --dryrun -arch=sm_${number} -x cu -c /dev/null
                    OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0)
      list(APPEND known ${architecture})
    endif()
  endforeach()
  set(${output} "${known}" PARENT_SCOPE)
endfunction()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(gemmlab_wanted "")
  foreach(capability IN LISTS gemmlab_capabilities)
    string(REPLACE "." "" number ${capability})
    if(number EQUAL 90)
      set(number 90a)  # wgmma and the like exist in sm_90a alone
    endif()
    list(APPEND gemmlab_wanted ${number}-real)
  endforeach()
  list(REMOVE_DUPLICATES gemmlab_wanted)
  gemmlab_known_architectures(gemmlab_architectures ${gemmlab_wanted})
  if(NOT gemmlab_architectures OR NOT "${gemmlab_architectures}" STREQUAL "${gemmlab_wanted}")
    gemmlab_known_architectures(gemmlab_architectures ${GEMMLAB_CUDA_EVERYWHERE})
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${gemmlab_architectures}" CACHE STRING "GPU architectures to build for")
endif()

set(CMAKE_CUDA_COMPILER ${gemmlab_nvcc})
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "${gemmlab_nvcc} is CUDA ${CMAKE_CUDA_COMPILER_VERSION}; gemmlab needs 12.0 or later. "
                      "Configure with -DGEMMLAB_CUDA=OFF to leave the GPU side out.")
endif()
find_package(CUDAToolkit REQUIRED)
set(GEMMLAB_CUDA_ENABLED TRUE)
message(STATUS "GPU side: CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
