#include "submissions/judge/checking/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "submissions/judge/processes/tool.h"

namespace gemmlab::submissions {
namespace {

constexpr std::size_t kMostFindings = 20;

/// Small shapes that fit no tile: reads outside show at edges.
std::vector<Request> sanitized_calls() {
  std::vector<Request> requests;
  for (const Shape& shape : {Shape{32, 32, 32}, Shape{33, 31, 17}, Shape{65, 63, 33}, Shape{1, 64, 7},
                             Shape{64, 1, 5}, Shape{128, 96, 48}}) {
    Request request = call_at(shape);
    request.exact_memory = 1;
    requests.push_back(request);
  }
  return requests;
}

Failure failure_from(const std::string& tool, const std::string& finding) {
  Failure failure;
  const bool race = tool == "racecheck";
  failure.verdict = race ? Judged::kIncorrect : Judged::kOutOfBounds;
  const bool writes = finding.find("write") != std::string::npos;
  failure.pattern = race ? "race" : writes ? "write-past-end" : "read-past-end";
  failure.explanation = fmt::format("{}: {}", tool, finding);
  failure.hint =
      race ? "Two threads use the same word of shared memory with no __syncthreads() between: one belongs "
             "after the tile is filled, another before it is overwritten."
           : "Guard the index: row < M, column < K, inner index < N.";
  return failure;
}

}  // namespace

std::vector<std::string> findings_in(const std::string& log) {
  static const std::regex begins(
      "^=+ (Invalid|Error: Race|Race reported|Error: Potential|Misaligned|Warning: Race)(.*)$");
  static const std::regex place("in ([^ /]*/)*([^ /:]+:[0-9]+)");
  static const std::regex at("at ([A-Za-z_0-9:<>]+)");
  std::vector<std::string> findings;
  std::stringstream lines(log);
  std::string open;
  const auto close = [&] {
    if (!open.empty() && std::find(findings.begin(), findings.end(), open) == findings.end() &&
        findings.size() < kMostFindings)
      findings.push_back(open);
    open.clear();
  };
  bool placed = false;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, begins)) {
      close();
      open = match[1].str() + match[2].str();
      placed = std::regex_search(open, place);
    } else if (!open.empty() && !placed && std::regex_search(line, match, place)) {
      open += " in " + match[2].str();
      placed = true;
    }
  }
  close();
  return findings;
}

SanitizerResult sanitize(const CalleeSetup& setup, const Limits& limits) {
  SanitizerResult result;
  const std::string tool = find_tool("compute-sanitizer");
  for (const std::string check : {"memcheck", "racecheck"}) {
    if (tool.empty()) {
      result.missing.push_back(check + ": compute-sanitizer, a part of the CUDA toolkit, was not found");
      continue;
    }
    const std::string log = setup.confinement.scratch + "/" + check + ".log";
    const std::string reason = call_under({tool, "--tool", check, "--log-file", log, "--print-limit", "50"},
                                          setup, sanitized_calls(), limits.call_s);
    const std::string text = text_of_log(log);
    if (text.find("ERROR SUMMARY") == std::string::npos &&
        text.find("RACECHECK SUMMARY") == std::string::npos) {
      result.missing.push_back(
          fmt::format("{}: {}", check, reason.empty() ? "the tool gave no summary" : reason));
    } else {
      result.ran.push_back(check);
    }
    const std::vector<std::string> found = findings_in(text);
    result.findings.insert(result.findings.end(), found.begin(), found.end());
    if (!found.empty()) result.failures.push_back(failure_from(check, found.front()));
  }
  return result;
}

}  // namespace gemmlab::submissions
