#include "submissions/program/workplace.h"

#include "core/machine/machine.h"
#include "cpu/table.h"
#include "operations/gemm/implementation.h"
#include "submissions/program/rule_reader.h"

namespace gemmlab::submissions {
namespace {

/// "9.0" -> "90a", whose instructions go beyond 90's; "8.6" -> "86".
std::string architecture(const std::string& compute_capability) {
  std::string digits;
  for (const char c : compute_capability) {
    if (c != '.') digits += c;
  }
  return digits == "90" ? "90a" : digits;
}

Metrics metrics_from(const Json& json) {
  Metrics metrics{json.at("time"), {}};
  for (const Json& row : json.at("rows"))
    metrics.rows.push_back({row.at("name"), row.at("unit"), row.at("how"), row.at("names"), row.at("over")});
  return metrics;
}

}  // namespace

Workplace::Workplace(const runner::Catalogue& catalogue, runner::Channel& channel, const Json& request)
    : catalogue_(catalogue),
      channel_(channel),
      worker_(request.at("worker")),
      rule_(read_rule(request.at("rule"), catalogue)) {
  const Json& options = request.at("options");
  options_.seed = request.at("seed");
  options_.random_shapes = options.at("random_shapes");
  options_.timing = options.at("timing");
  options_.alone = options.at("alone");
  options_.sanitize = options.at("sanitize");
  options_.counters = options.at("counters");
  if (options_.counters) options_.metrics = metrics_from(request.at("metrics"));
  options_.emulate = options.at("emulate");
  if (const auto key = request.find("inputs_key"); key != request.end() && key->is_string())
    options_.secret = Secret::from_hex(*key);
  add_rung(rule_, options.at("like"), catalogue);
  leave_out_bubblewrap(request.at("without_isolation"));
  surround();
  surroundings_.predicted_arch = architecture(request.at("predicted_on"));
}

Json Workplace::limits() const {
  if (!limits_) return {};
  Json all = Json::array();
  for (const Ceiling& ceiling : limits_->ceilings) all.push_back(runner::to_json(ceiling));
  return all;
}

void Workplace::take_limits(const Json& ceilings) {
  if (ceilings.is_null()) return;
  limits_.emplace();
  for (const Json& one : ceilings) limits_->ceilings.push_back(runner::ceiling_from(one));
}

void Workplace::surround() {
  const Json& gpus = worker_.at("gpus");
  surroundings_.program = {work_.program(), "callee"};
  surroundings_.callee = {work_.callee()};
  surroundings_.gpu_callee = {work_.gpu_callee()};
  surroundings_.work = work_.path();
  if (!gpus.empty()) surroundings_.cuda_arch = architecture(gpus.at(0).at("compute_capability"));
  surroundings_.no_gpu = worker_.at("gpu_unavailable");
  surroundings_.product = cpu::double_product();
  surroundings_.least_time = [this](const Device& device, const Shape& shape) {
    return least_time(device, shape);
  };
  surroundings_.unavailable = [this](const std::string& id) { return unavailable(id); };
  surroundings_.summary = [this](const std::string& id) {
    const Implementation* implementation = catalogue_.find(id);
    return implementation == nullptr ? std::string() : implementation->description().summary;
  };
  surroundings_.progress = [this](const std::string& doing) { channel_.send({{"doing", doing}}); };
}

Json Workplace::ceilings(const Device& device) const {
  Json all = Json::array();
  if (!limits_) return all;
  for (const Ceiling& ceiling : limits_->ceilings) {
    const bool memory = ceiling.what == "memory_read" && ceiling.level == "dram";
    if (ceiling.device != device.name || !(memory || ceiling.what == "fma")) continue;
    if (device.host_threads && ceiling.threads != cpu_info().cores) continue;
    all.push_back({{"device", ceiling.device},
                   {"what", ceiling.what},
                   {"level", ceiling.level},
                   {"value", ceiling.value},
                   {"unit", ceiling.unit}});
  }
  return all;
}

std::string Workplace::unavailable(const std::string& id) const {
  if (catalogue_.find(id) == nullptr) return "this program was built without it";
  const Json& reasons = worker_.at("unavailable");
  return reasons.contains(id) ? reasons.at(id).get<std::string>() : std::string();
}

/// By the ceilings of this machine. They are measured when first needed, once per class folder: the driver
/// hands them on to the next hand-in.
LeastTime Workplace::least_time(const Device& device, const Shape& shape) {
  if (!limits_) limits_ = runner::Supervisor().limits(!worker_.at("gpus").empty());
  Point point;
  point.implementation = std::string(device.name) + ".submission";
  if (device.host_threads) point.parameters["threads"] = std::int64_t{cpu_info().cores};
  point.device = device;
  point.instance = gemm_at(shape);
  const runner::Floor floor = runner::floor_of(point, limits_->ceilings, {});
  return {floor.seconds, floor.bound_by};
}

}  // namespace gemmlab::submissions
