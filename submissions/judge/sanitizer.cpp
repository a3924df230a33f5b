#include "submissions/judge/sanitizer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>

#include "core/inputs.h"
#include "submissions/judge/shapes.h"

namespace gemmlab::submissions {
namespace {

constexpr double kSanitizedStart_s = 120;
constexpr double kSlower = 60;  ///< under a tool a call takes many times longer
constexpr std::size_t kMostFindings = 20;

std::string find_tool() {
  std::vector<std::string> folders;
  std::stringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) folders.push_back(folder);
  folders.insert(folders.end(),
                 {"/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/local/cuda/compute-sanitizer"});
  for (const std::string& folder : folders) {
    const std::string file = folder + "/compute-sanitizer";
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

/// Small, and off every tile: what is read outside shows at edges.
std::vector<Shape> sanitized_shapes() {
  return {{32, 32, 32}, {33, 31, 17}, {65, 63, 33}, {1, 64, 7}, {64, 1, 5}, {128, 96, 48}};
}

/// One call a shape under the tool; the reason why not, where it did not come to that.
std::string run_calls(CalleeSetup setup, const Limits& limits) {
  const std::vector<Shape> shapes = sanitized_shapes();
  setup.matrices = Matrices::for_shapes(shapes);
  setup.writable_inputs = true;
  CalleeProcess process(setup);
  const CallEnd ready = process.ready(kSanitizedStart_s);
  if (ready.how != CallEnd::How::kAnswered || ready.reply.said != Said::kReady)
    return fmt::format("it did not start: {} {}", ready.reply.text, process.printed());
  if (process.load(kSlower).reply.said != Said::kLoaded) return "the library was not loaded under it";
  for (const Shape& shape : shapes) {
    Request request;
    request.ask = Ask::kCall;
    request.m = shape.m;
    request.n = shape.n;
    request.k = shape.k;
    request.exact_memory = 1;
    fill(setup.matrices.a->at(0), shape.m, shape.k, Distribution::kInteger, 1, Operand::kA, 0, 1);
    fill(setup.matrices.b->at(0), shape.k, shape.n, Distribution::kInteger, 1, Operand::kB, 0, 1);
    process.ask(request, limits.call_s * kSlower);
    if (!process.alive()) break;  // what it found until then is in its log
  }
  process.leave(kSanitizedStart_s);
  return {};
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
  const std::string tool = find_tool();
  for (const std::string check : {"memcheck", "racecheck"}) {
    if (tool.empty()) {
      result.missing.push_back(check + ": compute-sanitizer, a part of the CUDA toolkit, was not found");
      continue;
    }
    CalleeSetup under = setup;
    const std::string log = setup.confinement.scratch + "/" + check + ".log";
    under.program = {tool, "--tool", check, "--log-file", log, "--print-limit", "50"};
    under.program.insert(under.program.end(), setup.program.begin(), setup.program.end());
    under.confinement.memory_bytes = 0;  // the tool's own memory is not the submission's
    const std::string reason = run_calls(under, limits);
    std::ifstream file(log);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
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
