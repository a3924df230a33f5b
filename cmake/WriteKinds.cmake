# Run at build time; see SourceHash.cmake. What definitions may ask for is what report/kinds/, plots/ and the
# folders tables/ and figures/ of satellites hold: a file a kind, named after it, in with_baseline/ where it needs a baseline;
# one whose name begins with an underscore is none (see analysis/kind_files.py). Needs no Python.
include(${CMAKE_CURRENT_LIST_DIR}/Satellite.cmake)

function(gemmlab_kinds_in folder satellites result)
  gemmlab_satellites(folders ${ROOT})
  list(TRANSFORM folders PREPEND ${ROOT}/)
  list(TRANSFORM folders APPEND /${satellites})
  set(entries "")
  foreach(own IN LISTS folder folders)
    file(GLOB files ${own}/*.py ${own}/with_baseline/*.py)
    list(FILTER files EXCLUDE REGEX "/_[^/]*$")
    foreach(file IN LISTS files)
      get_filename_component(name ${file} NAME_WE)
      set(needs false)
      if(file MATCHES "/with_baseline/[^/]+$")
        set(needs true)
      endif()
      list(APPEND entries "    {\"${name}\", ${needs}},\n")
    endforeach()
  endforeach()
  if(NOT entries)
    message(FATAL_ERROR "${folder} holds no kind")
  endif()
  list(SORT entries)
  list(JOIN entries "" text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

gemmlab_kinds_in(${ROOT}/report/kinds tables tables)
gemmlab_kinds_in(${ROOT}/plots figures figures)

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#pragma once
// Made at each build by cmake/WriteKinds.cmake.
namespace gemmlab::kinds {
struct Kind {
  const char* name;
  bool needs_baseline;
};
inline constexpr Kind kTables[] = {
${tables}};
inline constexpr Kind kFigures[] = {
${figures}};
}  // namespace gemmlab::kinds
")
