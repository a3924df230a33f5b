# Run at build time; see SourceHash.cmake. What definitions may ask for is what report/kinds/, plots/ and the
# folders tables/ and figures/ of satellites register: one file a kind,
# named after it, with a line "KIND = TableKind(" or "KIND = FigureKind(" (see analysis/tables/kind.py). Needs no Python.

function(gemmlab_kinds_in folder satellites registration result)
  file(GLOB files ${folder}/*.py ${ROOT}/*/${satellites}/*.py)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    file(STRINGS ${file} registered REGEX "^KIND = ${registration}[(]")
    if(registered)
      file(STRINGS ${file} baseline REGEX "^ +needs_baseline=True[,)]")
      set(needs false)
      if(baseline)
        set(needs true)
      endif()
      get_filename_component(name ${file} NAME_WE)
      string(APPEND entries "    {\"${name}\", ${needs}},\n")
    endif()
  endforeach()
  if(entries STREQUAL "")
    message(FATAL_ERROR "${folder} registers no ${registration}")
  endif()
  set(${result} "${entries}" PARENT_SCOPE)
endfunction()

gemmlab_kinds_in(${ROOT}/report/kinds tables TableKind tables)
gemmlab_kinds_in(${ROOT}/plots figures FigureKind figures)

set(text "#pragma once
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
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
