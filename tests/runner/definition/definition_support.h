#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operations/gemm/implementation.h"
#include "runner/definition/definition.h"
#include "tests/runner/support.h"

namespace gemmlab::runner {

inline const std::string kHead = "title = \"t\"\nquestion = \"q\"\n";

/// Loads definitions given as texts.
class DefinitionTest : public test::Scratch {
 protected:
  Definition load(const std::string& text) {
    return load_definition(write("x.toml", kHead + text), catalogue_);
  }
  /// The message with which a definition is refused; the reader's folder is cut off.
  std::string refusal(const std::string& text) {
    return refusal_of([&] { load(text); }, path("x.toml"));
  }
  static std::string group(const std::string& lines,
                           const std::string& run = "implementation = \"cpu.ikj\"") {
    return "[[group]]\nname = \"g\"\n" + lines + "\n[[group.run]]\n" + run + "\n";
  }
  std::vector<Shape> shapes(const Definition& definition) {
    std::vector<Shape> found;
    for (const Group& one : definition.groups) found.push_back(shape_of(one.instance));
    return found;
  }
  Catalogue catalogue_;
};

}  // namespace gemmlab::runner
