#include "experiments/runner/submit_text.h"

#include <fmt/format.h>

namespace gemmlab::runner {
namespace {

std::string shown_shape(const Json& shape) {
  return fmt::format("{}x{}x{}", shape.at("M").get<int>(), shape.at("N").get<int>(),
                     shape.at("K").get<int>());
}

}  // namespace

void print_verdict(const Json& verdict, bool known, bool brief) {
  fmt::print("{}: {}{}. {}\n", verdict.at("submission").get<std::string>(),
             verdict.at("verdict").get<std::string>(), known ? " (judged before)" : "",
             verdict.at("summary").get<std::string>());
  if (brief) return;
  for (const Json& message : verdict.at("build").at("messages"))
    fmt::print("  line {}: {}: {}\n", message.at("line").get<int>(), message.at("kind").get<std::string>(),
               message.at("text").get<std::string>());
  for (const Json& failure : verdict.at("failures"))
    fmt::print("  hint: {}\n", failure.at("hint").get<std::string>());
  for (const Json& missing : verdict.at("sanitizer").at("missing"))
    fmt::print("  not run: {}\n", missing.get<std::string>());
  if (const std::string missing = verdict.at("counters_missing"); !missing.empty())
    fmt::print("  counters were not read: {}\n", missing);
  for (const Json& row : verdict.at("performance")) {
    if (row.at("median_s").is_null()) continue;
    fmt::print("  {:<16} {:<26} {:>10.1f} GFLOP/s{}\n", shown_shape(row.at("shape")),
               row.at("label").get<std::string>(), row.at("gflop_per_s").get<double>(),
               row.at("of_library").is_null()
                   ? ""
                   : fmt::format("  {:>6.1f} % of the library", 100 * row.at("of_library").get<double>()));
  }
  for (const Json& advice : verdict.at("advice"))
    fmt::print("  {}: {}\n", advice.at("title").get<std::string>(), advice.at("text").get<std::string>());
}

}  // namespace gemmlab::runner
