#include "runner/recording/provenance.h"

#include <fmt/format.h>
#include <unistd.h>

#include <random>

#include "build_facts.h"
#include "core/machine/machine.h"
#include "core/machine/rapl.h"
#include "runner/recording/host_identity.h"
#include "runner/roofline.h"

extern char** environ;
namespace fs = std::filesystem;

namespace gemmlab::runner {
Json program_facts() {
  return {{"program",
           {{"version", facts::kVersion},
            {"commit", facts::kCommit},
            {"dirty", facts::kDirty},
            {"source_sha256", facts::kSourceSha256}}},
          {"build",
           {{"compiler", facts::kCompiler},
            {"flags", facts::kFlags},
            {"sanitize", facts::kSanitize},
            {"nvcc", facts::kNvcc},
            {"cuda_arch", facts::kCudaArch}}}};
}

Json host_facts() {
  const CpuInfo& cpu = cpu_info();
  const std::string no_rapl = Rapl().unavailable();
  return {{"cpu", cpu.model},
          {"architecture", cpu.architecture},
          {"sockets", cpu.sockets},
          {"cores", cpu.cores},
          {"threads_per_core", cpu.threads_per_core},
          {"caches", {{"l1d", cpu.l1d_bytes}, {"l2", cpu.l2_bytes}, {"l3", cpu.l3_bytes}}},
          {"numa", cpu.numa_nodes},
          {"memory", cpu.memory_bytes},
          {"isa", cpu.isa},
          {"denormals", "kept"},  // nothing here turns flushing on; a library that does is seen at its points
          {"governor", cpu.governor},
          {"kernel", cpu.kernel},
          {"container", cpu.container},
          {"rapl_unavailable", no_rapl.empty() ? Json(nullptr) : Json(no_rapl)}};
}

Json environment_facts() {
  Json found = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    for (const char* prefix :
         {"OMP_", "GOMP_", "KMP_", "CUDA_", "OPENBLAS_", "BLIS_", "MKL_", "DNNL_", "EIGEN_"}) {
      if (text.rfind(prefix, 0) == 0) found[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    }
  }
  return found;
}

std::string new_run_id() {
  std::string stamp;
  for (char c : utc_now()) {
    if (c != '-' && c != ':') stamp += c;
  }
  std::random_device random;
  return fmt::format("{}-{:06x}", stamp, random() & 0xffffff);
}

Json run_record(const std::string& run_id, const Definition& definition, const std::string& machine,
                const std::vector<std::string>& arguments, const Json& worker, const Limits& limits) {
  Json ceilings = Json::array();
  for (const Ceiling& ceiling : limits.ceilings) ceilings.push_back(to_json(ceiling));
  Json costs = Json::array();
  for (const Cost& cost : limits.costs) costs.push_back(to_json(cost));
  Json record{{"kind", "run"},
              {"schema", kSchema},
              {"run_id", run_id},
              {"started_utc", utc_now()},
              {"experiment", definition.name},
              {"machine", machine},
              {"arguments", arguments},
              {"definition_sha256", definition.sha256},
              {"definition", definition.presentation()},
              {"operations", definition.operations_json()}};
  if (definition.part) {
    const auto& [shard, plan, points] = *definition.part;
    record["shard"] = {{"index", shard.index}, {"count", shard.count}, {"plan", plan}, {"points", points}};
  }
  record.update(program_facts());
  record["host"] = host_identity(host_traits(worker.at("gpus")));
  record["host"].update(host_facts());
  record["host"].update(limits.cores);
  record["environment"] = environment_facts();
  record["gpus"] = worker.at("gpus");
  record["gpu_unavailable"] = worker.at("gpu_unavailable");
  record["ceilings"] = ceilings;
  record["ceilings_missing"] = limits.missing;
  record["costs"] = costs;
  return record;
}

}  // namespace gemmlab::runner
