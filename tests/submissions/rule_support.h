#pragma once

// A rule read from a text, for tests.

#include <string>
#include <vector>

#include "submissions/program/rule_reader.h"
#include "tests/runner/support.h"

namespace gemmlab::submissions {

class RuleTest : public test::Scratch {
 protected:
  Rule load(const std::string& text) { return read_rule(write("rule.toml", text), catalogue_); }
  /// The message with which a rule is refused, from the line number on.
  std::string refusal(const std::string& text) {
    return refusal_of([&] { load(text); }, path("rule.toml"));
  }
  static std::vector<std::string> ids(const std::vector<Rung>& rungs) {
    std::vector<std::string> found;
    for (const Rung& rung : rungs) found.push_back(rung.id);
    return found;
  }
  runner::Catalogue catalogue_;
};

}  // namespace gemmlab::submissions
