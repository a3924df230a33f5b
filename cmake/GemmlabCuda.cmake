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
