# Makes generated/verdict_words.h of verdicts.json, the one list of verdicts, which submissions/pages reads itself:
# "out-of-memory" becomes the enumerator kOutOfMemory.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/verdicts.json)
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/verdicts.json verdicts)
string(JSON count LENGTH "${verdicts}")
math(EXPR last "${count} - 1")
set(enumerators "")
set(words "")
foreach(place RANGE ${last})
  string(JSON word GET "${verdicts}" ${place} word)
  string(REPLACE "-" ";" parts ${word})
  set(name "k")
  foreach(part IN LISTS parts)
    string(SUBSTRING ${part} 0 1 first)
    string(SUBSTRING ${part} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name ${first}${rest})
  endforeach()
  string(APPEND enumerators "  ${name},\n")
  string(APPEND words "    \"${word}\",\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/verdict_words.h @ONLY CONTENT
"// Made by submissions/VerdictWords.cmake from submissions/verdicts.json.
#pragma once

namespace gemmlab::submissions {

/// From the best to the worst: of several failures the last counts.
enum class Judged {
@enumerators@};

inline constexpr const char* kVerdictWords[] = {
@words@};

}  // namespace gemmlab::submissions
")
