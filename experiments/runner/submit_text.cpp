#include "experiments/runner/submit_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace gemmlab::runner {
namespace {

std::string shown_shape(const Json& shape) {
  return fmt::format("{}x{}x{}", shape.at("M").get<int>(), shape.at("N").get<int>(),
                     shape.at("K").get<int>());
}

/// Warnings beside errors mostly follow from them: the parameters of a body that did not parse are "unused".
void print_messages(const Json& messages) {
  const bool errors = std::any_of(messages.begin(), messages.end(),
                                  [](const Json& message) { return message.at("kind") == "error"; });
  for (const Json& message : messages) {
    const std::string kind = message.at("kind");
    if (errors && kind == "warning") continue;
    fmt::print("  line {}: {}: {}\n", message.at("line").get<int>(), kind,
               message.at("text").get<std::string>());
  }
}

/// "41.2 GFLOP/s [40.9, 41.4], 7 calls, 52.1 % of the library", or why there is no time.
std::string speed(const Json& row) {
  if (row.at("median_s").is_null()) return "not timed: " + row.at("skipped").get<std::string>();
  const double rate = row.at("gflop_per_s");
  const Json &ends = row.at("ci95_s"), &share = row.at("of_library");
  const double work = rate * row.at("median_s").get<double>();
  const int calls = row.at("samples");
  std::string text = fmt::format("{:>8.1f} GFLOP/s", rate);
  if (!ends.is_null())  // the longest time is the lowest rate
    text +=
        fmt::format(" [{:.1f}, {:.1f}]", work / ends.at(1).get<double>(), work / ends.at(0).get<double>());
  text += fmt::format(", {} call{}", calls, calls == 1 ? "" : "s");
  if (!share.is_null()) text += fmt::format(", {:.1f} % of the library", 100 * share.get<double>());
  return text;
}

}  // namespace

void print_verdict(const Json& verdict, bool known, bool brief) {
  fmt::print("{}: {}{}. {}\n", verdict.at("submission").get<std::string>(),
             verdict.at("verdict").get<std::string>(), known ? " (judged before)" : "",
             verdict.at("summary").get<std::string>());
  if (brief) return;
  const Json& build = verdict.at("build");
  print_messages(build.at("messages"));
  if (const std::string hint = build.at("hint"); !hint.empty()) fmt::print("  hint: {}\n", hint);
  for (const Json& failure : verdict.at("failures"))
    fmt::print("  hint: {}\n", failure.at("hint").get<std::string>());
  for (const Json& missing : verdict.at("sanitizer").at("missing"))
    fmt::print("  not run: {}\n", missing.get<std::string>());
  if (const std::string missing = verdict.at("counters_missing"); !missing.empty())
    fmt::print("  counters were not read: {}\n", missing);
  for (const Json& row : verdict.at("performance"))
    fmt::print("  {:<16} {:<26} {}\n", shown_shape(row.at("shape")), row.at("label").get<std::string>(),
               speed(row));
  for (const Json& advice : verdict.at("advice"))
    fmt::print("  {}: {}\n", advice.at("title").get<std::string>(), advice.at("text").get<std::string>());
}

}  // namespace gemmlab::runner
