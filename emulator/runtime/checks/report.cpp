// exports.h: a call's findings and counts as JSON.

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "emulator/exports.h"
#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/calls/kernel_heap.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

using Json = nlohmann::ordered_json;

Json triple(const uint3& of) {
  return {of.x, of.y, of.z};
}

Json finding_json(const Finding& finding) {
  return {{"kind", finding.kind},
          {"kernel", finding.kernel},
          {"line", finding.line},
          {"pc", finding.place},
          {"other_pc", finding.other_place},
          {"array", finding.array},
          {"operation", finding.operation},
          {"offset", finding.offset},
          {"block", triple(finding.block)},
          {"thread", triple(finding.thread)},
          {"other_thread", finding.has_other ? triple(finding.other_thread) : Json()},
          {"times", finding.times},
          {"fatal", finding.fatal},
          {"text", finding.text}};
}

Json array_json(const ArrayNote& array) {
  Json json = {{"name", array.name},
               {"space", array.shared ? "shared" : "global"},
               {"bytes", array.bytes},
               {"element_bytes", array.element_bytes}};
  if (!array.shared) return json;
  json["dims"] = Json::array();
  for (const std::size_t extent : array.dims) {
    if (extent > 0) json["dims"].push_back(extent);
  }
  return json;
}

Json site_json(const SiteKey& key, const SiteCounts& site) {
  const char* const operations[] = {"load", "store", "atomic"};
  const bool shared = key.space == Space::kShared;
  Json json = {{"pc", key.place},
               {"space", shared ? "shared" : "global"},
               {"operation", operations[static_cast<int>(key.operation)]},
               {"array", site.array},
               {"bytes", key.bytes},
               {"asynchronous", key.asynchronous},
               {"requests", site.requests},
               {"lanes", site.lanes},
               {"divergent", site.divergent}};
  if (shared) {
    json["wavefronts"] = site.wavefronts;
    json["least_wavefronts"] = site.least_wavefronts;
    json["conflicts"] = site.wavefronts - site.least_wavefronts;
    json["degree_worst"] = site.degree_worst;
  } else {
    json["sectors"] = site.sectors;
    json["least_sectors"] = site.least_sectors;
    json["lines"] = site.lines;
    json["l1_miss_sectors"] = site.l1_miss_sectors;
    json["l2_miss_sectors"] = site.l2_miss_sectors;
  }
  json["example"] = {
      {"block", triple(site.example_block)}, {"warp", site.example_warp}, {"addresses", site.example}};
  return json;
}

Json launch_json(const LaunchCounts& launch) {
  constexpr std::uint64_t kSector = 32;
  Json json = {{"kernel", launch.kernel},
               {"line", launch.line},
               {"grid", triple(launch.grid)},
               {"block", triple(launch.block)},
               {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
               {"static_shared_bytes", launch.static_shared_bytes},
               {"blocks", launch.blocks},
               {"blocks_run", launch.blocks_run},
               {"warps_per_block", launch.warps_per_block},
               {"barriers", launch.barriers},
               {"block_barriers", launch.block_barriers},
               {"warp_operations", launch.warp_operations},
               {"requests", launch.requests},
               {"divergent_requests", launch.divergent_requests},
               {"l2_bytes", (launch.l2_read_sectors + launch.l2_write_sectors) * kSector},
               {"dram_read_bytes", launch.dram_read_sectors * kSector},
               {"dram_write_bytes", launch.dram_write_sectors * kSector},
               {"products", Json::array()},
               {"arrays", Json::array()},
               {"sites", Json::array()},
               {"timeline", Json::array()}};
  for (const auto& [key, multiply_adds] : launch.products) {
    json["products"].push_back(
        {{"by", key.warpgroup ? "wgmma" : "mma"}, {"bits", key.bits}, {"multiply_adds", multiply_adds}});
  }
  for (const ArrayNote& array : launch.arrays) json["arrays"].push_back(array_json(array));
  for (const auto& [key, site] : launch.sites) json["sites"].push_back(site_json(key, site));
  for (std::size_t warp = 0; warp < launch.timeline.size(); ++warp) {
    json["timeline"].push_back({{"warp", warp}, {"stretches", launch.timeline[warp]}});
  }
  return json;
}

}  // namespace
}  // namespace gemmlab::emulation

using namespace gemmlab::emulation;

extern "C" {

__attribute__((visibility("default"))) void gemmlab_emulation_begin(const GemmlabEmulationLimits* limits) {
  const std::lock_guard lock(runtime_mutex());
  forget_work();
  clear_kernel_heap();
  device_memory().limit(limits->memory_bytes, limits->sparse != 0);
  run().begin(*limits);
}

__attribute__((visibility("default"))) void gemmlab_emulation_registers(const char* kernel, int each) {
  const std::lock_guard lock(runtime_mutex());
  note_registers(kernel, each);
}

__attribute__((visibility("default"))) void* gemmlab_emulation_allocate(std::size_t bytes, const char* name) {
  const std::lock_guard lock(runtime_mutex());
  return device_memory().allocate(bytes, name, false, current_device());
}

__attribute__((visibility("default"))) void gemmlab_emulation_release(void* memory) {
  const std::lock_guard lock(runtime_mutex());
  device_memory().release(memory);
}

__attribute__((visibility("default"))) int gemmlab_emulation_synchronize(char* text, std::size_t size) {
  const std::lock_guard lock(runtime_mutex());
  wait_for_all();
  const auto error = static_cast<cudaError_t>(run().error());
  if (size > 0) {
    std::strncpy(text, error == cudaSuccess ? "" : cudaGetErrorString(error), size - 1);
    text[size - 1] = '\0';
  }
  return error;
}

__attribute__((visibility("default"))) const char* gemmlab_emulation_report() {
  static std::string text;
  const std::lock_guard lock(runtime_mutex());
  Json json = {{"findings", Json::array()}, {"error", nullptr}, {"launches", Json::array()}};
  for (const Finding& finding : run().findings().all()) json["findings"].push_back(finding_json(finding));
  if (const auto error = static_cast<cudaError_t>(run().error()); error != cudaSuccess) {
    json["error"] = {{"code", run().error()}, {"name", cudaGetErrorName(error)}};
  }
  if (run().counts_launches()) {
    for (const LaunchCounts& launch : run().launches()) json["launches"].push_back(launch_json(launch));
    json["launches_left_out"] = run().launches_left_out();
  }
  text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.c_str();
}
}
