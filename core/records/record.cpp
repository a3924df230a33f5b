#include "core/records/record.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/records/attributes.h"

namespace gemmlab {

namespace {

constexpr double kAboveCeiling = 1.02;  // a ceiling is itself measured, to a percent or two

/// JSON has neither NaN nor infinity: null stands for a number that there is not.
Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json text_or_null(const std::string& words) {
  return words.empty() ? Json(nullptr) : Json(words);
}

Json numbers(const std::vector<double>& values, std::size_t count) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i) list.push_back(number_or_null(values[i]));
  return list;
}

/// Samples of the first kMostSamplesKept rounds, whoever took part in them: a whole group loses the same
/// rounds.
std::size_t samples_kept(const Outcome& outcome) {
  const std::vector<int>& rounds = outcome.rounds;
  if (rounds.empty()) return kMostSamplesKept;
  const auto end =
      std::lower_bound(rounds.begin(), rounds.end(), rounds.front() + static_cast<int>(kMostSamplesKept));
  return std::min(kMostSamplesKept, static_cast<std::size_t>(end - rounds.begin()));
}

void add_statistics(Json& record, const Point& point, const Outcome& outcome, double ceiling_s,
                    const std::string& bound_by) {
  for (const char* name : {"median_s", "ci95_s", "min_s", "rates", "of_ceiling", "bound_by"})
    record[name] = nullptr;
  Json& rates = record["rates"] = Json::object();
  const std::vector<Rate> amounts = point.instance.operation->rates(point.instance);
  for (const Rate& rate : amounts) rates[rate.name] = nullptr;
  if (bound_by.size() > 0 && ceiling_s > 0) record["bound_by"] = bound_by;
  if (outcome.samples_s.empty()) return;
  const double median_s = median(outcome.samples_s);
  record["median_s"] = number_or_null(median_s);
  if (const auto interval = median_interval(outcome.samples_s)) {
    record["ci95_s"] = {number_or_null(interval->low), number_or_null(interval->high)};
  }
  record["min_s"] = number_or_null(*std::min_element(outcome.samples_s.begin(), outcome.samples_s.end()));
  for (const Rate& rate : amounts) rates[rate.name] = number_or_null(rate.of(median_s));
  if (ceiling_s > 0) record["of_ceiling"] = number_or_null(ceiling_s / median_s);
}

}  // namespace

const char* to_string(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kIncorrect:
      return "incorrect";
    case Status::kReducedPrecision:
      return "reduced-precision";
    case Status::kSkipped:
      return "skipped";
    case Status::kUnsupported:
      return "unsupported";
    case Status::kOutOfMemory:
      return "out-of-memory";
    case Status::kTimeout:
      return "timeout";
    case Status::kCrashed:
      return "crashed";
    case Status::kFailed:
      return "failed";
  }
  throw std::invalid_argument("not a status: " + std::to_string(static_cast<int>(status)));
}

Status status_of(const std::vector<Check>& checks, Precision precision) {
  switch (overall(checks)) {
    case Verdict::kOk:
    case Verdict::kUncertified:
      return Status::kOk;
    case Verdict::kReducedPrecision:
      return as_accurate_as_fp32(precision) ? Status::kReducedPrecision : Status::kOk;
    case Verdict::kIncorrect:
      break;
  }
  return Status::kIncorrect;
}

double FirstCall::total_s() const {
  double total = 0;
  for (const auto& [phase, seconds] : phases_s) total += seconds;
  return total;
}

namespace {

void add_first_calls(Json& record, const Outcome& outcome) {
  if (outcome.first_calls.empty()) return;
  Json& phases = record["first_call_s"] = Json::object();
  record["steady_s"] = Json::array();
  for (const FirstCall& call : outcome.first_calls) {
    for (const auto& [phase, seconds] : call.phases_s) phases[phase].push_back(number_or_null(seconds));
    record["steady_s"].push_back(number_or_null(call.steady_s));
  }
}

/// What a joule buys: "gflop_per_j" of "gflop_per_s". A latency has no such form.
void add_rates_per_joule(Json& record, const Point& point) {
  Json& rates = record["rates_per_j"] = nullptr;
  const Json& joules = record["energy_j_per_call"];
  if (!joules.is_number() || !(joules.get<double>() > 0)) return;
  rates = Json::object();
  const std::string ending = "_per_s";
  for (const Rate& rate : point.instance.operation->rates(point.instance)) {
    const std::size_t stem = rate.name.size() - std::min(rate.name.size(), ending.size());
    if (!rate.inverse && rate.name.substr(stem) == ending)
      rates[rate.name.substr(0, stem) + "_per_j"] = number_or_null(rate.amount / joules.get<double>());
  }
}

/// Is no operand of narrower elements than float32, which other units may multiply?
bool in_words(const Instance& instance) {
  const std::vector<OperandSpec> operands = instance.operands();
  return std::all_of(operands.begin(), operands.end(), [](const OperandSpec& operand) {
    return bytes_of(operand.type) >= bytes_of(ElementType::kFloat32);
  });
}

}  // namespace

Json case_record(const std::string& run_id, const std::string& experiment, const Point& point,
                 const Outcome& outcome, double ceiling_s, const std::string& bound_by) {
  Json record{{"kind", "case"},
              {"run_id", run_id},
              {"case_id", point.case_id()},
              {"experiment", experiment},
              {"operation", point.instance.operation->name()},
              {"implementation", point.implementation},
              {"name", text_or_null(point.name)},
              {"name_parts", point.name_parts},
              {"device", point.device.name},
              {"family", text_or_null(point.family)},
              {"variant_of", text_or_null(point.variant_of)},
              {"reference", point.reference},
              {"parameters", to_json(point.parameters)},
              {"label", point.label},
              {"dims", dims_json(point.instance)},
              {"options", options_json(point.instance)}};
  for (const Attribute& attribute : attributes())
    record[attribute.name] = attribute.concerns(point) ? attribute.get(point) : Json(nullptr);
  record["timing"] = to_string(outcome.timing);
  record["group"] = point.group;
  record["precision"] = to_string(point.precision);
  record["status"] = to_string(outcome.status);
  record["reason"] = text_or_null(outcome.reason);
  record["replica"] = point.replica;
  record["handicap"] = point.handicap;
  record["twin_of"] = text_or_null(point.twin_of);
  const std::size_t kept = samples_kept(outcome);
  record["samples_s"] = numbers(outcome.samples_s, kept);
  record["rounds"] = Json::array();
  for (std::size_t i = 0; i < std::min(kept, outcome.rounds.size()); ++i)
    record["rounds"].push_back(outcome.rounds[i]);
  record["sample_count"] = outcome.samples_s.size();
  record["calls_per_sample"] = outcome.calls_per_sample;
  record["input_sets"] = outcome.input_sets;
  // the ceiling of operations was measured with FP32 multipliers, and binds what computes with them alone
  const bool bound =
      bound_by != "compute" || (point.precision == Precision::kFp32 && in_words(point.instance));
  add_statistics(record, point, outcome, bound ? ceiling_s : 0, bound ? bound_by : "");
  record["least_bytes"] = point.instance.operation->least_bytes(point.instance);
  record["moved_bytes"] = outcome.moved_bytes > 0 ? Json(outcome.moved_bytes) : Json(nullptr);
  add_first_calls(record, outcome);
  record["stop_reason"] = text_or_null(outcome.stop_reason);
  record["sustained_s"] = outcome.sustained_s > 0 ? Json(outcome.sustained_s) : Json(nullptr);
  record["verify"] = Json::array();
  for (const Check& check : outcome.checks) record["verify"].push_back(to_json(check));
  const int threads =
      outcome.observed.threads_ran() > 0 ? outcome.observed.threads_ran() : outcome.threads_actual;
  record["threads_actual"] = threads > 0 ? Json(threads) : Json(nullptr);
  outcome.observed.write_to(record, record["median_s"].is_number() ? record["median_s"].get<double>() : 0);
  add_rates_per_joule(record, point);
  record["remeasured"] = outcome.remeasured;
  record["chosen"] = to_json(outcome.chosen);
  record["resources"] = to_json(outcome.resources);
  record["phases_s"] = Json::object();
  for (const auto& [phase, seconds] : outcome.phases_s) record["phases_s"][phase] = number_or_null(seconds);
  record["warnings"] = outcome.warnings;
  if (const std::string why = outcome.observed.why_unbound(); !why.empty()) record["warnings"].push_back(why);
  if (record["of_ceiling"].is_number() && record["of_ceiling"] > kAboveCeiling) {
    record["warnings"].push_back(
        "faster than the measured ceiling allows: this measurement or the ceiling is broken");
  }
  return record;
}

Json operation_json(const Operation& operation) {
  Json dimensions = Json::array();
  Json options = Json::array();
  Json rates = Json::array();
  for (const DimensionSpec& spec : operation.dimensions())
    dimensions.push_back({{"name", spec.name}, {"summary", spec.summary}});
  Instance smallest{&operation, {}, {}};
  for (const OptionSpec& spec : operation.options()) {
    options.push_back(
        {{"name", spec.name},
         {"summary", spec.summary},
         {"default", std::visit([](const auto& value) { return Json(value); }, spec.default_value)}});
    smallest.options[spec.name] = spec.default_value;
  }
  smallest.dims = operation.dims_of_size(64);
  for (const Rate& rate : operation.rates(smallest))
    rates.push_back({{"name", rate.name}, {"unit", rate.unit}});
  return {{"name", operation.name()},
          {"title", operation.title()},
          {"dimensions", dimensions},
          {"options", options},
          {"rates", rates}};
}

Json to_json(const Facts& facts) {
  Json object = Json::object();
  for (const auto& [name, fact] : facts) {
    if (const auto* fraction = std::get_if<double>(&fact)) {
      object[name] = number_or_null(*fraction);
    } else if (const auto* whole = std::get_if<std::int64_t>(&fact)) {
      object[name] = *whole;
    } else {
      object[name] = std::get<std::string>(fact);
    }
  }
  return object;
}

Json to_json(const Check& check) {
  const bool projected = check.method.find("projection") != std::string::npos;
  return {{"method", check.method},
          {"eta_max", number_or_null(check.eta_max)},
          {"residual", projected ? number_or_null(check.residual) : Json(nullptr)},
          {"worst",
           check.worst_row < 0 ? Json(nullptr) : Json{{"row", check.worst_row}, {"col", check.worst_col}}},
          {"verdict", to_string(check.verdict)}};
}

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-11-20T23:59:01Z"];
  if (std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
    throw std::runtime_error("the time of day cannot be written");
  }
  return text;
}

}  // namespace gemmlab
