#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/machine.h"
#include "runner/commands/commands.h"
#include "runner/execution/gpu_choice.h"
#include "runner/execution/supervisor.h"
#include "runner/recording/host_identity.h"
#include "runner/recording/provenance.h"

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

template <typename Value>
Json told(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// Every card that the driver lists: whether this process's CUDA shows it, and what it does now.
Json card_facts(const Json& visible) {
  const std::vector<gpu::Card> cards = gpu::cards();
  const std::vector<Choice> all = choices(cards, visible);
  Json found = Json::array();
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const gpu::Card& card = cards[i];
    found.push_back({{"index", card.index},
                     {"uuid", card.uuid},
                     {"name", card.name},
                     {"bus_id", card.bus_id},
                     {"visible", all[i].visible},
                     {"memory", told(card.memory_bytes)},
                     {"memory_used", told(card.memory_used_bytes)},
                     {"busy_percent", told(card.busy_percent)},
                     {"persistence_mode", told(card.persistence_mode)},
                     {"clock_mhz", told(card.now.clock_mhz)},
                     {"temperature_c", told(card.now.temperature_c)},
                     {"power_w", told(card.now.power_w)},
                     {"throttle_reasons", told(card.now.throttle_reasons)}});
  }
  return found;
}

/// "0  NVIDIA H200, GPU-…: 2 of 140 GiB used, 0 % busy, 345 MHz, 31 °C, 76 W".
std::string card_line(const Json& card) {
  std::vector<std::string> now;
  const auto add = [&](const char* key, const char* unit) {
    if (card.at(key).is_number()) now.push_back(fmt::format("{:.0f} {}", card.at(key).get<double>(), unit));
  };
  if (card.at("memory").is_number())
    now.push_back(
        fmt::format("{} of {} used", bytes_text(card.at("memory_used")), bytes_text(card.at("memory"))));
  add("busy_percent", "% busy");
  add("clock_mhz", "MHz");
  add("temperature_c", "°C");
  add("power_w", "W");
  if (card.at("throttle_reasons").is_array() && !card.at("throttle_reasons").empty())
    now.push_back(fmt::format("clock held down: {}",
                              fmt::join(card.at("throttle_reasons").get<std::vector<std::string>>(), ", ")));
  if (!card.at("visible").get<bool>()) now.push_back("not shown to CUDA here");
  return fmt::format("  {}  {}, {}: {}\n", card.at("index").get<int>(), plain(card.at("name")),
                     plain(card.at("uuid")), fmt::join(now, ", "));
}

}  // namespace

int command_info(bool json, const std::string& gpu_asked) {
  Supervisor supervisor;
  // without a choice all are told, though a run measures the first alone
  const Json worker = gpu_asked.empty() ? supervisor.facts() : facts_of_one_gpu(supervisor, gpu_asked);
  const Json& gpus = worker.at("gpus");
  const std::string gpu = gpus.empty() ? "" : gpus.at(0).at("name").get<std::string>();
  Json info{{"machine", machine_slug(cpu_info().model, gpu)}};
  info.update(program_facts());
  info["host"] = host_identity(host_traits(gpus));  // as records and reports name it
  info["host"].update(host_facts());
  info["environment"] = environment_facts();
  info["gpus"] = gpus;
  info["cards"] = card_facts(gpus);
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
  if (!info.at("cards").empty()) fmt::print("cards, as --gpu takes them\n");
  for (const Json& card : info.at("cards")) fmt::print("{}", card_line(card));
  if (const std::string why = info.at("gpu_unavailable"); !why.empty())
    fmt::print("gpu\n  {}: {}\n", gpus.empty() ? "none" : "not used", why);
  fmt::print("not available here\n");
  print_flat(info.at("unavailable"), "");
  return kExitDone;
}

}  // namespace gemmlab::runner
