#include "submissions/build/symbols.h"

#include <sstream>

namespace gemmlab::submissions {

SymbolFault check_symbols(const std::string& nm_output, const std::string& wanted) {
  std::istringstream lines(nm_output);
  std::string solve_kind;
  bool mangled = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string address, kind, symbol;
    words >> address >> kind >> symbol;
    if (symbol == "solve") solve_kind = kind;
    // As C++ writes solve(...) and some_namespace::solve(...).
    const bool cxx = symbol.rfind("_Z", 0) == 0 && symbol.find("5solve") != std::string::npos;
    if (cxx && (kind == "T" || kind == "W")) mangled = true;
  }
  const std::string write = "write " + wanted;
  if (solve_kind == "T" || solve_kind == "W" || solve_kind == "i") return {};
  if (!solve_kind.empty()) return {"solve is not a function", write};
  if (mangled)
    return {"solve is a C++ function, which cannot be found by its name",
            "put extern \"C\" before it: " + write};
  return {"no function solve", write + "; it must be neither static nor in an unnamed namespace"};
}

}  // namespace gemmlab::submissions
