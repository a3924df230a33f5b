#include "submissions/judge/judgement_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/machine/machine.h"
#include "core/records/read_json.h"
#include "core/records/record.h"
#include "core/statistics.h"
#include "submissions/build/kernels.h"
#include "submissions/judge/timing/ratios.h"

namespace gemmlab::submissions {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaOfVerdicts = 2;

/// JSON knows no NaN and no infinity.
Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json kernels_json(const std::vector<KernelReport>& kernels) {
  Json list = Json::array();
  for (const KernelReport& one : kernels)
    list.push_back({{"name", one.name},
                    {"registers", one.registers},
                    {"spill_bytes", one.spill_bytes},
                    {"static_shared_bytes", one.static_shared_bytes},
                    {"stack_bytes", one.stack_bytes}});
  return list;
}

Json build_json(const Build& build) {
  Json messages = Json::array();
  for (const CompilerMessage& one : build.messages)
    messages.push_back({{"kind", one.kind}, {"line", one.line}, {"column", one.column}, {"text", one.text}});
  return {{"ok", build.ok},
          {"reason", build.reason},
          {"hint", build.hint},
          {"command", build.command},
          {"seconds", build.seconds},
          {"messages", messages},
          {"kernels", kernels_json(build.kernels)}};
}

Json checks_json(const CheckResult& checks) {
  Json list = Json::array();
  for (const ShapeOutcome& one : checks.outcomes)
    list.push_back({{"shape", shape_json(one.shape)}, {"right", one.right}});
  const auto right = std::count_if(checks.outcomes.begin(), checks.outcomes.end(),
                                   [](const ShapeOutcome& one) { return one.right; });
  Json not_reached = Json::array();
  for (const Shape& one : checks.not_reached) not_reached.push_back(shape_json(one));
  return {{"shapes", checks.outcomes.size()},
          {"right", right},
          {"calls", checks.calls},
          {"list", list},
          {"not_reached", not_reached}};
}

Json failure_json(const Failure& failure) {
  const bool element = failure.element;
  return {{"verdict", to_string(failure.verdict)},
          {"shape", failure.shape ? shape_json(*failure.shape) : Json()},
          {"element", element ? Json{{"row", failure.row}, {"col", failure.col}} : Json()},
          {"expected", element && !std::isnan(failure.expected) ? number(failure.expected) : Json()},
          {"got", element ? number(failure.got) : Json()},
          {"wrong", failure.wrong > 0 ? Json(failure.wrong) : Json()},
          {"of", failure.shape ? Json(failure.shape->c_count()) : Json()},
          {"pattern", failure.pattern},
          {"over_shapes", failure.over_shapes.empty() ? Json() : Json(failure.over_shapes)},
          {"explanation", failure.explanation},
          {"hint", failure.hint}};
}

/// Where the submission stands among all at each shape: 1 is the fastest.
Json places_json(const std::vector<Timing>& timings) {
  Json places = Json::array();
  for (const Timing& mine : timings) {
    if (mine.role != kSubmission || mine.samples_s.empty()) continue;
    std::vector<const Timing*> all;
    for (const Timing& one : timings) {
      if (one.shape == mine.shape && !one.samples_s.empty()) all.push_back(&one);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Timing* one, const Timing* other) { return times_as_fast(*one, *other) > 1; });
    const auto at = std::find(all.begin(), all.end(), &mine);
    places.push_back({{"shape", shape_json(mine.shape)},
                      {"rank", at - all.begin() + 1},
                      {"of", all.size()},
                      {"above", at == all.begin() ? Json() : Json((*(at - 1))->name)},
                      {"below", at + 1 == all.end() ? Json() : Json((*(at + 1))->name)}});
  }
  return places;
}

Json first_call_json(const TimingResult& timing) {
  for (const Timing& one : timing.timings) {
    if (one.role == kSubmission && one.shape == timing.first_shape && !one.samples_s.empty() &&
        timing.first_s > 0)
      return {
          {"shape", shape_json(one.shape)}, {"first_s", timing.first_s}, {"steady_s", median(one.samples_s)}};
  }
  return {};
}

Json finding_json(const KernelFinding& finding) {
  return {{"kind", finding.kind},       {"kernel", finding.kernel},
          {"line", finding.line},       {"other_line", finding.other_line},
          {"array", finding.array},     {"times", finding.times},
          {"fatal", finding.fatal},     {"shape", shape_json(finding.shape)},
          {"explanation", finding.text}};
}

/// Of launches that the emulator counted, what a card's driver would say of those that are timed.
Json resources_json(const EmulatedCounts& counts) {
  Json resources = Json::array();
  const Json launches = read_json(counts.launches);
  if (!launches.is_array()) return resources;
  const auto bytes = [](const Json& launch, const char* key) {  // from a process that ran submitted code
    const auto found = launch.find(key);
    return found != launch.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  for (const Json& launch : launches) {
    if (!launch.is_object() || !launch.contains("kernel") || !launch.at("kernel").is_string()) continue;
    resources.push_back(
        {{"kernel", launch.at("kernel")},
         {"shared_bytes", bytes(launch, "static_shared_bytes") + bytes(launch, "dynamic_shared_bytes")}});
    for (const char* key : {"grid", "block"}) {
      if (launch.contains(key)) resources.back()[key] = launch.at(key);
    }
  }
  return resources;
}

Json counts_json(const EmulatedCounts& counts, const CardCode& code) {
  if (counts.launches.empty()) return {};
  Json json{{"shape", shape_json(counts.shape)}, {"launches", Json::parse(counts.launches)}};
  if (!code.sass.empty()) json["card_code"] = {{"kernels", kernels_json(code.kernels)}, {"sass", code.sass}};
  return json;
}

}  // namespace

/// Why no mark may hang on any of its times; empty where one may.
std::string why_no_speed_counts(const Judgement& judgement) {
  if (judgement.verdict != Judged::kCorrect) return "only what is correct earns marks for speed";
  if (!judgement.timing) return "it was not timed";
  std::string why = "it was not timed";
  for (const Timing& one : judgement.timing->timings) {
    if (one.role != kSubmission) continue;
    if (one.uncounted.empty()) return {};
    why = one.uncounted;
  }
  return why;
}

Json to_json(const SolveForm& form) {
  return {{"type", gemmlab::to_string(form.types.type)},
          {"result", gemmlab::to_string(form.types.result)},
          {"inner", form.inner_k ? "K" : "N"},
          {"alpha_beta", form.alpha_beta}};
}

Json to_json(const Judgement& judgement, const Surroundings& surroundings) {
  const Device& device = judgement.submission.device;
  Json json{{"schema", kSchemaOfVerdicts},
            {"submission", judgement.submission.name},
            {"sha256", judgement.submission.sha256},
            {"device", device.name},
            {"judged_utc", utc_now()},
            {"seed", judgement.options.seed},
            {"inputs_key", judgement.options.secret.hex()},
            {"options",
             {{"random_shapes", judgement.options.random_shapes},
              {"timing", judgement.options.timing},
              {"alone", judgement.options.alone},
              {"sanitize", judgement.options.sanitize},
              {"counters", judgement.options.counters},
              {"emulate", judgement.options.emulate}}},
            {"solve", to_json(judgement.solve)},
            {"emulated", judgement.emulated},
            {"verdict", to_string(judgement.verdict)},
            {"summary", judgement.summary},
            {"build", build_json(judgement.build)},
            {"isolation", {{"holds", judgement.isolation.holds}, {"missing", judgement.isolation.missing}}},
            {"checks", checks_json(judgement.checks)}};
  json["failures"] = Json::array();
  for (const Failure& failure : judgement.failures) json["failures"].push_back(failure_json(failure));
  json["performance"] = Json::array();
  json["place"] = Json::array();
  const std::string uncounted = why_no_speed_counts(judgement);
  json["speed_counts"] = uncounted.empty();
  json["speed_why"] = uncounted;
  json["noise_floor"] = Json();
  json["first_call"] = Json();
  json["threads"] = Json();
  json["load"] = Json();
  json["resources"] = resources_json(judgement.emulated_counts);
  if (judgement.timing) {
    json["performance"] = timings_json(judgement.timing->timings, device, surroundings);
    json["place"] = places_json(judgement.timing->timings);
    if (judgement.timing->noise_floor) json["noise_floor"] = *judgement.timing->noise_floor;
    // the text comes from a process that ran submitted code
    Json resources = read_json(judgement.timing->resources);
    for (Json& one : resources) {
      if (one.is_object() && one.contains("kernel") && one.at("kernel").is_string())
        one["kernel"] = kernel_name(one.at("kernel").get<std::string>());
    }
    if (resources.is_array()) json["resources"] = resources;
    json["first_call"] = first_call_json(*judgement.timing);
    json["load"] = load_json(*judgement.timing);
    if (device.host_threads && judgement.timing->threads_busy > 0)
      json["threads"] = {{"ran", judgement.timing->threads_busy}, {"cores", cpu_info().cores}};
  }
  json["sanitizer"] = {{"ran", judgement.sanitizer.ran},
                       {"missing", judgement.sanitizer.missing},
                       {"findings", judgement.sanitizer.findings}};
  json["counters"] = Json::object();
  for (const auto& [name, one] : judgement.counters.values)
    json["counters"][name] = {{"value", one.value}, {"unit", one.unit}};
  json["counters_at"] = judgement.counters.values.empty() ? Json() : shape_json(judgement.counters.shape);
  json["counters_missing"] = judgement.counters.missing;
  json["findings"] = Json::array();
  for (const KernelFinding& one : judgement.findings) json["findings"].push_back(finding_json(one));
  json["counts"] = counts_json(judgement.emulated_counts, judgement.card_code);
  json["counts_missing"] = judgement.emulated_counts.missing;
  json["not_emulated"] = judgement.build.not_emulated;
  json["advice"] = Json::array();
  for (const Advice& one : judgement.advice)
    json["advice"].push_back({{"title", one.title}, {"text", one.text}});
  json["notes"] = judgement.notes;
  return json;
}

}  // namespace gemmlab::submissions
