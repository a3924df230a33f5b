#include "core/records/read_json.h"

#include <nlohmann/json.hpp>

namespace gemmlab {

bool nested_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted) {
      if (letter == '\\') ++i;
      quoted = letter != '"';
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == '[' || letter == '{') {
      if (++depth > kMostJsonNesting) return true;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
  }
  return false;
}

Json read_json(std::string_view text) {
  return nested_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace gemmlab
