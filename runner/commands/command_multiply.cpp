#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/inputs/input_sets.h"
#include "core/machine/perf_counters.h"
#include "core/operations.h"
#include "core/records/record.h"
#include "core/timing/elapsed.h"
#include "core/verification/subject_checks.h"
#include "cpu/table.h"
#include "runner/commands/asked_call.h"
#include "runner/commands/commands.h"
#include "runner/device_calls.h"
#include "runner/roofline.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

constexpr int kWarmUpCalls = 2;
constexpr double kCountedSeconds = 0.1;  // so that what starts and stops the counters is nothing beside

/// What the processor counts in one of several calls, on input sets in turn.
Json counted(const std::function<void(std::int64_t)>& call, std::int64_t sets) {
  const std::unique_ptr<PerfKernel> kernel = make_perf_kernel();
  PerfCounters counters(*kernel);  // after the first calls: the threads are there
  std::int64_t calls = 0;
  const auto begin = std::chrono::steady_clock::now();
  counters.start();
  do {
    call(calls++ % sets);
  } while (seconds_since(begin) < kCountedSeconds);
  counters.stop();
  const double seconds = seconds_since(begin);
  Json metrics{{"time_s", {{"value", seconds / static_cast<double>(calls)}, {"unit", "s"}}}};
  for (const auto& [name, count] : counters.counts()) {
    metrics[name] = {{"value", nullptr}, {"unit", "count"}};
    if (count.value) metrics[name]["value"] = *count.value / static_cast<double>(calls);
    if (!count.value) metrics[name]["reason"] = count.reason;
  }
  return {{"tool", "perf_event_open"}, {"calls", calls}, {"metrics", metrics}};
}

}  // namespace

int command_multiply(const Catalogue& catalogue, const MultiplyOptions& options) {
  const Implementation* implementation = catalogue.find(options.implementation);
  if (implementation == nullptr && missing_in_this_build(options.implementation))
    throw UsageError(options.implementation + ": this program was built without CUDA");
  if (implementation == nullptr) throw UsageError(catalogue.unknown(options.implementation));
  const Description& description = implementation->description();
  const Instance instance = asked_instance(options.instance, *find_operation(description.operation));
  const Parameters parameters = completed(description, parameters_given(options.parameters));
  const DeviceCalls& device = calls_of(description.device);
  if (!description.device.host_threads && options.counters)
    throw UsageError("--counters: of a CPU implementation; ncu counts on a GPU");
  std::string refusal = device.unavailable();
  if (refusal.empty()) refusal = implementation->unavailable();
  if (refusal.empty()) refusal = implementation->why_not(instance, parameters);
  if (!refusal.empty()) throw UsageError(options.implementation + ": " + refusal);

  const std::unique_ptr<Backend> backend = device.make_backend();
  const InputValues values;
  InputSets sets(*backend, instance, values, sets_needed(instance, backend->last_level_cache_bytes(), true),
                 room_of(parameters));
  const std::unique_ptr<Session> session = implementation->prepare(instance, parameters);
  if (implementation->operands_resident(parameters)) {
    std::vector<Operands> all;
    for (std::int64_t set = 0; set < sets.count(); ++set) all.push_back(sets.operands(set));
    session->stage(all);
  }
  const auto call = [&](std::int64_t set) { session->run(sets.operands(set)); };
  for (int warm = 0; warm < kWarmUpCalls; ++warm) call(warm % sets.count());
  backend->synchronize();
  const std::int64_t last = sets.count() - 1;  // farthest from what the caches still hold
  sets.make_ready(last);
  backend->profiled([&] { call(last); });

  const auto reference = instance.operation->reference(instance, values, cpu::double_product());
  const GroupReferences references{*reference, *reference};
  SubjectChecks checks(*backend, instance, references);
  checks.timed(sets, last, false);
  bool right = true;
  for (const Check& check : checks.all()) {
    const bool reduced = check.verdict == Verdict::kReducedPrecision &&
                         implementation->precision(instance) != Precision::kFp32;
    right = right && (check.verdict == Verdict::kOk || reduced);
  }
  fmt::print("{} {}\n", options.implementation, right ? "ok" : "incorrect");
  if (options.counters) {
    sets.make_all_ready();  // the pages of every C are there
    fmt::print("{}\n", counted(call, sets.count()).dump());
  }
  return right ? kExitDone : kExitWrong;
}

}  // namespace gemmlab::runner
