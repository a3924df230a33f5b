#include "submissions/judge/checking/kernel_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/records/read_json.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKernelFindings = 100;
constexpr std::size_t kLongestSentence = 400;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  std::string text = found->get<std::string>().substr(0, kLongestSentence);
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, ' ');
  return text;
}

std::optional<std::int64_t> number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return {};
  return found->get<std::int64_t>();
}

KernelFinding finding_from(const Json& object, const Shape& shape) {
  KernelFinding finding;
  finding.kind = text_of(object, "kind");
  finding.kernel = text_of(object, "kernel");
  finding.line = static_cast<int>(number_of(object, "line").value_or(0));
  finding.other_line = static_cast<int>(number_of(object, "other_line").value_or(0));
  finding.array = text_of(object, "array");
  finding.operation = text_of(object, "operation");
  finding.offset = number_of(object, "offset");
  finding.array_bytes = number_of(object, "array_bytes").value_or(0);
  finding.times = number_of(object, "times").value_or(1);
  const auto fatal = object.find("fatal");
  finding.fatal = fatal != object.end() && fatal->is_boolean() && fatal->get<bool>();
  finding.text = text_of(object, "text");
  finding.shape = shape;
  return finding;
}

/// Kind, verdict, pattern and hint; what stands in front of a race explains the others, most surely the first.
struct Meaning {
  const char* kind;
  Judged verdict;
  const char* pattern;
  const char* hint;
};

constexpr Meaning kMeanings[] = {
    {"barrier-divergence", Judged::kIncorrect, "barrier-divergence",
     "All threads of a block must reach the same __syncthreads(): none may have returned before, and it must "
     "not stand in a branch that only some take."},
    {"warp-divergence", Judged::kIncorrect, "warp-divergence",
     "Every lane that the mask names must reach the operation, and the mask must name every lane that does: "
     "0xffffffff for a whole warp. Take the mask before the branch, or move the operation out of it."},
    {"too-much-shared", Judged::kBuildFailed, "too-much-shared",
     "nvcc refuses this kernel: use smaller tiles, or dynamic shared memory of up to 227 KiB, which "
     "cudaFuncSetAttribute has to allow."},
    {"invalid-launch", Judged::kIncorrect, "launch-refused",
     "The kernel has not run at all. cudaGetLastError() behind the launch says so; here C keeps what it "
     "held."},
    {"empty-grid", Judged::kIncorrect, "empty-grid",
     "M / T rounds down, to 0 where M is less than T, and leaves out the last rows elsewhere: (M + T - 1) / "
     "T "
     "blocks."},
    {"out-of-memory", Judged::kOutOfMemory, "allocation-failed",
     "What each call asks for has to be given back before it returns (cudaFree), or asked for once and kept; "
     "look at the size, which is in bytes, and at what cudaMalloc returns."},
    {"elements-for-bytes", Judged::kIncorrect, "elements-for-bytes",
     "cudaMemset, cudaMemcpy and cudaMalloc count bytes: sizeof(float) times the number of elements."},
    {"same-shared-address", Judged::kIncorrect, "same-shared-address",
     "All extern __shared__ arrays of a kernel are one piece of memory: declare one, and let the second part "
     "begin behind the first, float* b = a + T * T."},
    {"unordered-work", Judged::kIncorrect, "unordered-work",
     "Work in a stream waits only for what came before it in that stream. Put both into one stream, record "
     "an event behind the first and let the other stream wait for it (cudaStreamWaitEvent), or synchronise "
     "before the host goes on. A stream made with cudaStreamNonBlocking does not wait for the default "
     "stream."},
    {"race", Judged::kIncorrect, "race",
     "Two threads use the same word with no barrier between: one __syncthreads() belongs after a tile is "
     "filled, another before it is overwritten. What several threads or blocks add to takes an atomicAdd; "
     "what one launch needs of all blocks before it begins (C set to 0) takes a launch of its own, or "
     "cudaMemset."},
    {"uninitialised-shared", Judged::kIncorrect, "uninitialised-shared",
     "Shared memory holds anything when a block begins: every element that is read must have been stored "
     "first, also at the edges, where a guard leaves threads out (store 0 there)."},
    {"deadlock", Judged::kTimeout, "deadlock",
     "Threads wait for others that never come: look for a barrier in a branch, or a flag that nobody sets."},
    {"waits-for-later-block", Judged::kTimeout, "waits-for-later-block",
     "Blocks of one launch may run in any order, and need not be there at once. Two launches, one after the "
     "other, wait for each other on any card; a barrier of the grid needs a GPU to be judged, and a grid "
     "that fits on it."},
    {"endless", Judged::kTimeout, "too-slow", "The kernel does not end: look at the loop's condition."},
    {"index-beyond-array", Judged::kOutOfBounds, "index-beyond-array",
     "The index is beyond the array that it is used with, though inside other memory of the block. On a GPU "
     "that goes unnoticed and changes another array."},
    {"misaligned", Judged::kCrashed, "misaligned-address",
     "A float4 must lie at a multiple of 16 bytes: rows begin at multiples of 16 bytes only where their "
     "length is a multiple of 4."},
    {"trap", Judged::kCrashed, "device-error",
     "The kernel stops itself by __trap, or by a check that failed."},
    {"host-touches-device", Judged::kCrashed, "signal",
     "Code of the CPU must not read or write device memory: use cudaMemcpy, or do it in a kernel."},
    {"illegal-address", Judged::kOutOfBounds, "illegal-address",
     "The address belongs to no allocation: a pointer that was never set, or an index that overflowed."},
};

/// Which side of which array, as the CPU's judge says it.
const char* side_pattern(const KernelFinding& finding) {
  const bool writes = finding.operation != "read";
  if (finding.offset && *finding.offset < 0) return writes ? "write-before-start" : "read-before-start";
  return writes ? "write-past-end" : "read-past-end";
}

Failure out_of_bounds(const KernelFinding& finding) {
  Failure failure;
  failure.verdict = Judged::kOutOfBounds;
  failure.pattern = side_pattern(finding);
  failure.hint =
      finding.offset && *finding.offset < 0
          ? "Which index is the smallest? Look for a row or column minus one, or for an int that overflowed."
          : "Guard the index: row < M, column < K, inner index < N. Rows and columns of the last tile need "
            "it where M, N or K is not a multiple of the tile.";
  return failure;
}

}  // namespace

std::vector<KernelFinding> findings_from(const std::string& report, const Shape& shape) {
  const Json json = read_json(report);
  std::vector<KernelFinding> findings;
  if (!json.is_object() || !json.contains("findings") || !json.at("findings").is_array()) return findings;
  for (const Json& one : json.at("findings")) {
    if (findings.size() >= kMostKernelFindings) break;
    if (one.is_object() && !text_of(one, "kind").empty()) findings.push_back(finding_from(one, shape));
  }
  return findings;
}

void merge(std::vector<KernelFinding>& known, const std::vector<KernelFinding>& more) {
  for (const KernelFinding& one : more) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const KernelFinding& other) {
      return other.kind == one.kind && other.kernel == one.kernel && other.line == one.line &&
             other.other_line == one.other_line && other.array == one.array;
    });
    if (same != known.end()) {
      same->times += one.times;
    } else if (known.size() < kMostKernelFindings) {
      known.push_back(one);
    }
  }
}

bool KernelFinding::needs_wrong_result() const {
  return kind == "invalid-launch" || kind == "empty-grid" || kind == "out-of-memory" ||
         kind == "elements-for-bytes" || kind == "same-shared-address";
}

int rank_of(const KernelFinding& finding) {
  const auto found = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                  [&](const Meaning& one) { return finding.kind == one.kind; });
  const auto race = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                 [](const Meaning& one) { return std::string_view(one.kind) == "race"; });
  return static_cast<int>(std::min(found, race) - std::begin(kMeanings));
}

std::optional<Failure> failure_of(const KernelFinding& finding) {
  Failure failure;
  if (finding.kind == "out-of-bounds") {
    failure = out_of_bounds(finding);
  } else {
    const auto meaning = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                      [&](const Meaning& one) { return finding.kind == one.kind; });
    if (meaning == std::end(kMeanings)) return {};
    failure.verdict = meaning->verdict;
    failure.pattern = meaning->pattern;
    failure.hint = meaning->hint;
  }
  failure.shape = finding.shape;
  failure.explanation =
      fmt::format("{} (In {}, at {}.)", finding.text, finding.kernel.empty() ? "solve" : finding.kernel,
                  in_students_words(finding.shape));
  return failure;
}

}  // namespace gemmlab::submissions
