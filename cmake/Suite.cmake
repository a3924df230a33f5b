# The suite as it is installed: the tree without tests and without the records of other machines than the reference, with this build
# finished in its folder build/, where the launcher finds it. `cmake --install BUILD --component suite --prefix FOLDER`; the wheel and
# the container hold the same. Nothing in it names the folder that it was built in, so that it can be moved.
file(READ data/reference.json gemmlab_reference)
string(JSON gemmlab_reference GET ${gemmlab_reference} machine)
file(GLOB gemmlab_parts LIST_DIRECTORIES false */CMakeLists.txt */__init__.py */satellite.py)
list(TRANSFORM gemmlab_parts REPLACE "/[^/]*$" "")
list(REMOVE_DUPLICATES gemmlab_parts)
list(FILTER gemmlab_parts EXCLUDE REGEX "/tests$")

set(gemmlab_suite COMPONENT suite EXCLUDE_FROM_ALL)
install(DIRECTORY ${gemmlab_parts} cmake data docs experiments DESTINATION . ${gemmlab_suite}
  PATTERN __pycache__ EXCLUDE
  PATTERN data/results EXCLUDE)
file(GLOB gemmlab_records data/results/${gemmlab_reference}/*.jsonl)
install(FILES ${gemmlab_records} DESTINATION data/results/${gemmlab_reference} ${gemmlab_suite})
install(FILES CMakeLists.txt CMakePresets.json LICENSE packages.txt requirements.txt requirements-peers.txt DESTINATION . ${gemmlab_suite})
install(PROGRAMS gemmlab DESTINATION . ${gemmlab_suite})

# What is missing was not built: the program alone is enough for a part of the commands.
foreach(gemmlab_file runner/gemmlab submissions/gemmlab-judge submissions/gemmlab-callee submissions/gemmlab-callee-gpu
        emulator/rows/libgemmlab_gpu_emulated.so emulator/runtime/libgemmlab_emulation.a emulator/runtime/libboost_context.a
        api/blas/libgemmlab_blas.so)
  get_filename_component(gemmlab_folder ${gemmlab_file} DIRECTORY)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/${gemmlab_file} DESTINATION build/${gemmlab_folder} ${gemmlab_suite} OPTIONAL)
endforeach()
# The OpenMP runtime, for a wheel: on a machine without g++ there may be none.
foreach(gemmlab_file IN LISTS OpenMP_CXX_LIBRARIES)
  if(gemmlab_file MATCHES "libgomp")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so.1 OUTPUT_VARIABLE gemmlab_file OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH ${gemmlab_file} gemmlab_file)
    install(FILES ${gemmlab_file} DESTINATION build/openmp RENAME libgomp.so.1 ${gemmlab_suite})
  endif()
endforeach()
