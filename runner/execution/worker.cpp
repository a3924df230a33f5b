#include "runner/execution/worker.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/timing/first_call.h"
#include "core/timing/measure.h"
#include "core/timing/subject_run.h"
#include "cpu/device/cores_worth.h"
#include "cpu/table.h"
#include "gpu/table.h"
#include "runner/device_calls.h"
#include "runner/execution/channel.h"
#include "runner/roofline.h"

namespace gemmlab::runner {
namespace {

Json to_json(const GpuInfo& gpu) {
  return {{"name", gpu.name},
          {"uuid", gpu.uuid},
          {"compute_capability", gpu.compute_capability},
          {"sm_count", gpu.sm_count},
          {"memory", gpu.memory_bytes},
          {"l2", gpu.l2_bytes},
          {"sm",
           {{"registers", gpu.sm_registers},
            {"shared", gpu.sm_shared_bytes},
            {"threads", gpu.sm_threads},
            {"blocks", gpu.sm_blocks}}},
          {"block", {{"shared", gpu.block_shared_bytes}, {"threads", gpu.block_threads}}},
          {"clocks", {{"sm_mhz", gpu.clock_mhz}, {"memory_mhz", gpu.memory_clock_mhz}}},
          {"ecc", gpu.ecc},
          {"persistence_mode", gpu.persistence_mode ? Json(*gpu.persistence_mode) : Json()},
          {"driver", gpu.driver},
          {"runtime", gpu.runtime}};
}

class PageWatch : public Watch {
 public:
  PageWatch(StatusPage& page, const std::vector<int>& numbers) : page_(page), numbers_(numbers) {}
  void enter(int index, const char* phase, double limit_s) override {
    page_.deadline_ns.store(0);
    std::strncpy(page_.phase, phase, sizeof page_.phase - 1);
    page_.entry.store(index < 0 ? -1 : numbers_[static_cast<std::size_t>(index)]);
    page_.deadline_ns.store(steady_ns() + static_cast<std::int64_t>(limit_s * 1e9));
  }

 private:
  StatusPage& page_;
  const std::vector<int>& numbers_;
};

class Worker {
 public:
  Worker(const Catalogue& catalogue, Channel& channel, StatusPage& page)
      : catalogue_(catalogue), channel_(channel), page_(page) {}

  void answer(const Json& request) {
    const std::string what = request.at("do");
    if (what == "facts") return facts();
    if (what == "limits") return limits(request);
    if (what == "group") return group(request);
    if (what == "first_call") return first_call(request);
    throw std::logic_error("unknown request " + what);
  }

 private:
  void facts() {
    Json gpus = Json::array();
    for (const GpuInfo& gpu : gpu::gpus()) gpus.push_back(to_json(gpu));
    Json unavailable = Json::object();
    for (const Implementation* implementation : catalogue_.all()) {
      const std::string reason = why_unavailable(*implementation);
      if (!reason.empty()) unavailable[implementation->description().id] = reason;
    }
    channel_.send({{"gpus", gpus}, {"gpu_unavailable", gpu::unavailable()}, {"unavailable", unavailable}});
  }

  void limits(const Json& request) {
    Json ceilings = Json::array();
    Json costs = Json::array();
    const auto add = [&](const std::vector<Ceiling>& measured, const std::vector<Cost>& paid) {
      for (const Ceiling& ceiling : measured) ceilings.push_back(runner::to_json(ceiling));
      for (const Cost& cost : paid) costs.push_back(runner::to_json(cost));
    };
    Json cores = Json::object();
    for (const DeviceCalls& calls : device_calls()) {
      if (request.value(calls.device.name, false)) add(calls.measure_ceilings(), calls.measure_costs());
    }
    if (request.at(Device::kCpu.name)) {
      const cpu::CoresWorth found = cpu::measure_cores_worth();
      if (found.cores_worth) cores["cores_worth"] = *found.cores_worth;
      if (found.smt_pairs) cores["smt_pairs"] = *found.smt_pairs;
    }
    channel_.send({{"ceilings", ceilings}, {"costs", costs}, {"cores", cores}});
  }

  /// Nothing before the measurement may touch CUDA or open a library: otherwise it would not be the first
  /// call.
  void first_call(const Json& request) {
    const Point point = point_from_wire(request.at("point"));
    const Implementation& implementation = find(point.implementation);
    Outcome outcome;
    outcome.status = Status::kUnsupported;
    outcome.reason = implementation.why_not(point.instance, point.parameters);
    if (outcome.reason.empty()) {
      outcome = gemmlab::first_call(implementation, point,
                                    calls_of(implementation.description().device).make_backend,
                                    [&](auto... arguments) { product()(arguments...); });
    }
    channel_.send({{"outcome", to_wire(outcome)}});
  }

  const Implementation& find(const std::string& id) {
    const Implementation* implementation = catalogue_.find(id);
    if (implementation == nullptr) throw std::logic_error("no implementation " + id);
    return *implementation;
  }

  /// Made when first needed: it may open a library, which a first call has to open itself.
  const DoubleProduct& product() {
    if (!product_) product_ = cpu::double_product();
    return product_;
  }

  std::string why_unavailable(const Implementation& implementation) {
    const std::string of_device = calls_of(implementation.description().device).unavailable();
    return of_device.empty() ? implementation.unavailable() : of_device;
  }

  Backend& backend(const Device& device) {
    std::unique_ptr<Backend>& made = backends_[device.name];
    if (!made) made = calls_of(device).make_backend();
    return *made;
  }

  void send_case(const Json& request, const Json& entry, const Point& point, const Outcome& outcome) {
    channel_.send({{"entry", entry.at("entry")},
                   {"case", case_record(request.at("run_id"), request.at("experiment"), point, outcome,
                                        entry.at("floor_s"), entry.at("bound_by"))}});
  }

  /// Points that cannot run here are answered at once, before any input is made for them.
  bool refused(const Implementation& implementation, const Json& request, const Json& entry,
               const Point& point) {
    std::string reason = why_unavailable(implementation);
    if (reason.empty()) reason = implementation.why_not(point.instance, point.parameters);
    if (reason.empty()) return false;
    Outcome outcome;
    outcome.status = Status::kUnsupported;
    outcome.reason = reason;
    send_case(request, entry, point, outcome);
    return true;
  }

  void group(const Json& request) {
    std::vector<Subject> subjects;
    std::vector<Json> entries;
    std::vector<int> numbers;
    for (const Json& entry : request.at("points")) {
      const Point point = point_from_wire(entry.at("point"));
      const Implementation& implementation = find(point.implementation);
      if (refused(implementation, request, entry, point)) continue;
      subjects.push_back({&implementation, &backend(implementation.description().device), point});
      entries.push_back(entry);
      numbers.push_back(entry.at("entry"));
    }
    MeasureSettings settings;
    const Json& given = request.at("settings");
    settings.precision = given.at("precision");
    settings.min_time_s = given.at("min_time_s");
    settings.max_time_s = given.at("max_time_s");
    settings.timeout_s = given.at("timeout_s");
    settings.energy_s = given.at("energy_s");
    settings.sustained_s = given.at("sustained_s");
    settings.shuffle_seed = given.at("shuffle_seed");
    settings.verify_only = given.at("verify_only");
    settings.twins = given.at("twins");
    settings.first_round = given.at("first_round");

    PageWatch watch(page_, numbers);
    const auto done = [&](int index, const Point& point, const Outcome& outcome) {
      send_case(request, entries[static_cast<std::size_t>(index)], point, outcome);
    };
    const GroupCost cost = measure_group(subjects, settings, product(), watch, done);
    page_.entry.store(-1);
    page_.deadline_ns.store(0);
    page_.phase[0] = '\0';
    channel_.send({{"done", true}, {"inputs_s", cost.inputs_s}, {"reference_s", cost.reference_s}});
  }

  const Catalogue& catalogue_;
  Channel& channel_;
  StatusPage& page_;
  DoubleProduct product_;
  std::map<std::string, std::unique_ptr<Backend>> backends_;  ///< by the device's name
};

}  // namespace

int worker_main(const Catalogue& catalogue, int in, int out, int page) {
  void* memory = ::mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
  if (memory == MAP_FAILED) return 1;
  Channel channel(in, out);
  Worker worker(catalogue, channel, *static_cast<StatusPage*>(memory));
  while (!channel.closed()) {
    const std::optional<Json> request = channel.receive(-1);
    if (!request) continue;
    try {
      worker.answer(*request);
    } catch (const DeviceLost&) {
      return kReplaceMe;
    } catch (const std::bad_alloc&) {
      channel.send({{"failed", "the host has too little memory"}, {"status", "out-of-memory"}});
    } catch (const std::exception& error) {
      channel.send({{"failed", error.what()}, {"status", "failed"}});
    }
  }
  return 0;
}

}  // namespace gemmlab::runner
