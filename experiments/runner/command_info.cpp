#include <fmt/format.h>

#include "core/machine.h"
#include "experiments/runner/commands.h"
#include "experiments/runner/provenance.h"
#include "experiments/runner/supervisor.h"

namespace gemmlab::runner {
namespace {

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The facts that are numbers of bytes, by the last part of their names.
bool in_bytes(const std::string& key) {
  return key == "memory" || key == "l1d" || key == "l2" || key == "l3" || key == "shared";
}

/// "23.5 GiB", "32 MiB", "512 bytes".
std::string bytes_text(double bytes) {
  const char* unit = "bytes";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = next;
  }
  return fmt::format("{:.4g} {}", bytes, unit);
}

/// "caches.l2  2 MiB": one line per value, nested names joined by dots.
void print_flat(const Json& json, const std::string& prefix) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      print_flat(value, prefix + key + ".");
    } else if (value.is_array()) {
      std::string list;
      for (const Json& item : value) list += (list.empty() ? "" : ", ") + plain(item);
      fmt::print("  {:<24} {}\n", prefix + key, list);
    } else {
      const bool bytes = in_bytes(key) && value.is_number();
      fmt::print("  {:<24} {}\n", prefix + key, bytes ? bytes_text(value.get<double>()) : plain(value));
    }
  }
}

}  // namespace

int command_info(bool json) {
  Supervisor supervisor;
  const Json worker = supervisor.facts();
  const Json& gpus = worker.at("gpus");
  const std::string gpu = gpus.empty() ? "" : gpus.at(0).at("name").get<std::string>();
  Json info{{"machine", machine_slug(cpu_info().model, gpu)}};
  info.update(program_facts());
  info["host"] = host_facts();
  info["environment"] = environment_facts();
  info["gpus"] = gpus;
  info["gpu_unavailable"] = worker.at("gpu_unavailable");
  info["unavailable"] = worker.at("unavailable");
  if (json) {
    fmt::print("{}\n", to_text(info, 2));
    return kExitDone;
  }
  fmt::print("machine: {}\n", info.at("machine").get<std::string>());
  for (const char* part : {"program", "build", "host", "environment"}) {
    fmt::print("{}\n", part);
    print_flat(info.at(part), "");
  }
  for (const Json& one : gpus) {
    fmt::print("gpu\n");
    print_flat(one, "");
  }
  if (gpus.empty()) fmt::print("gpu\n  none: {}\n", plain(info.at("gpu_unavailable")));
  fmt::print("not available here\n");
  print_flat(info.at("unavailable"), "");
  return kExitDone;
}

}  // namespace gemmlab::runner
