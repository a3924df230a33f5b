#include "submissions/judge/timings_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/machine/machine.h"
#include "core/statistics.h"
#include "submissions/judge/timing/quiet_rounds.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

using Json = nlohmann::ordered_json;

Json interval(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

Json timing_json(const Timing& timing, const Device& device, const Surroundings& surroundings) {
  Json json{{"shape", shape_json(timing.shape)},
            {"implementation", timing.name},
            {"label", timing.label},
            {"role", timing.role}};
  const bool timed = !timing.samples_s.empty();
  const std::vector<double> counted = counted_samples(timing);
  const double median_s = timed ? median(counted) : 0;
  const LeastTime least = surroundings.least_time(device, timing.shape);
  json["median_s"] = timed ? Json(median_s) : Json();
  auto certain = timed ? median_interval(counted) : std::nullopt;
  if (certain)
    certain =
        Interval{std::max(certain->low / 10, certain->low - timing.clock_s), certain->high + timing.clock_s};
  json["ci95_s"] = interval(certain);
  json["samples"] = timing.samples_s.size();
  json["samples_s"] = timing.samples_s;
  json["waited_s"] = timing.waited_s.empty() ? Json() : Json(timing.waited_s);
  json["quiet"] = timing.quiet ? Json(*timing.quiet) : Json();
  json["quiet_rounds"] = timing.quiet ? Json(timing.quiet_rounds) : Json();
  json["by_events_s"] = timing.events_s.empty() ? Json() : Json(median(timing.events_s));
  json["by_events_samples_s"] = timing.events_s.empty() ? Json() : Json(timing.events_s);
  json["clock_s"] = timing.clock_s;
  json["taken_off_s"] = timing.taken_off_s > 0 ? Json(timing.taken_off_s) : Json();
  json["taken_off_at_start_s"] = timing.taken_off_at_start_s > 0 ? Json(timing.taken_off_at_start_s) : Json();
  json["alone_s"] = timing.alone_s > 0 ? Json(timing.alone_s) : Json();
  json["gflop_per_s"] = timed ? Json(timing.shape.flop() / median_s * 1e-9) : Json();
  json["of_library"] = timing.of_library > 0 ? Json(timing.of_library) : Json();
  json["of_library_ci95"] = interval(timing.of_library_ci95);
  json["of_library_low"] = timing.of_library_low > 0 ? Json(timing.of_library_low) : Json();
  json["of_library_high"] = timing.of_library_high > 0 ? Json(timing.of_library_high) : Json();
  json["settled"] = timing.settled ? Json(*timing.settled) : Json();
  json["of_ceiling"] = timed && least.seconds > 0 ? Json(least.seconds / median_s) : Json();
  json["bound_by"] = least.bound_by;
  json["skipped"] = timing.skipped;
  if (timing.role == kSubmission) {
    json["speed_counts"] = timing.uncounted.empty();
    json["speed_why"] = timing.uncounted;
    json["waits_alone"] = timing.waits_alone;
  }
  return json;
}

}  // namespace

Json shape_json(const Shape& shape) {
  const auto [M, N, K] = solve_sizes(shape);
  return {{"M", M}, {"N", N}, {"K", K}};
}

Json load_json(const TimingResult& timing) {
  return {{"others", timing.others},
          {"cores", cpu_info().cores},
          {"busy", timing.busy},
          {"raised", timing.raised}};
}

Json timings_json(const std::vector<Timing>& timings, const Device& device,
                  const Surroundings& surroundings) {
  Json rows = Json::array();
  for (const Timing& timing : timings) rows.push_back(timing_json(timing, device, surroundings));
  return rows;
}

std::vector<Timing> timings_from(const Json& rows) {
  std::vector<Timing> timings;
  for (const Json& row : rows) {
    const Json& sides = row.at("shape");
    Timing timing;
    timing.shape = shape_of({sides.at("M"), sides.at("N"), sides.at("K")});
    timing.name = row.at("implementation");
    timing.label = row.at("label");
    timing.role = row.at("role");
    timing.id = timing.name.substr(0, timing.name.find(' '));
    timing.samples_s = row.at("samples_s").get<std::vector<double>>();
    if (const Json& waited = row.at("waited_s"); !waited.is_null())
      timing.waited_s = waited.get<std::vector<double>>();
    if (!row.at("quiet").is_null()) timing.quiet = row.at("quiet").get<bool>();
    if (!row.at("quiet_rounds").is_null()) timing.quiet_rounds = row.at("quiet_rounds");
    timing.skipped = row.at("skipped");
    if (!row.at("of_library").is_null()) timing.of_library = row.at("of_library");
    if (const Json& ends = row.at("of_library_ci95"); !ends.is_null())
      timing.of_library_ci95 = Interval{ends.at(0), ends.at(1)};
    if (!row.at("of_library_low").is_null()) timing.of_library_low = row.at("of_library_low");
    if (!row.at("of_library_high").is_null()) timing.of_library_high = row.at("of_library_high");
    timings.push_back(timing);
  }
  return timings;
}

}  // namespace gemmlab::submissions
