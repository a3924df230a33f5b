#include "gpu/device/watching/nvml.h"

#include <utility>

#include "gpu/device/dynamic_library.h"

namespace gemmlab::gpu {
namespace {

// From NVML's published interface, which keeps its numbers: NVML_SUCCESS, NVML_CLOCK_SM,
// NVML_TEMPERATURE_GPU and NVML_FI_DEV_POWER_INSTANT.
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kPowerInstant = 186;
constexpr double kMilliwattsPerWatt = 1000;
constexpr double kMillijoulesPerJoule = 1000;

/// nvmlFieldValue_t.
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp_us = 0;
  long long latency_us = 0;
  int value_type = 0;
  int status = kSuccess;
  union {
    unsigned as_unsigned;
    unsigned long long as_long;
  } value = {};
};
static_assert(sizeof(FieldValue) == 40, "nvmlFieldValue_t has 40 bytes");

}  // namespace

std::string nvml_driver_version(const std::string& library_name) {
  const DynamicLibrary library({library_name});
  const auto init = library.function_if_there<int()>("nvmlInit_v2");
  const auto ask = library.function_if_there<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  char version[96] = {};
  if (!init || !ask || init() != kSuccess || ask(version, sizeof(version)) != kSuccess) return {};
  return version;
}

std::vector<std::string> throttle_reasons(std::uint64_t clock_event_reasons) {
  constexpr std::pair<std::uint64_t, const char*> kReasons[] = {{0x04, "sw power cap"},
                                                                {0x08, "hw slowdown"},
                                                                {0x20, "sw thermal slowdown"},
                                                                {0x40, "hw thermal slowdown"},
                                                                {0x80, "hw power brake"}};
  std::vector<std::string> words;
  for (const auto& [bit, word] : kReasons) {
    if (clock_event_reasons & bit) words.push_back(word);
  }
  return words;
}

/// Each is nullptr where the library does not have it.
struct Nvml::Functions {
  explicit Functions(const DynamicLibrary& library)
      : clock(library.function_if_there<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo")),
        temperature(library.function_if_there<int(void*, int, unsigned*)>("nvmlDeviceGetTemperature")),
        field_values(library.function_if_there<int(void*, int, FieldValue*)>("nvmlDeviceGetFieldValues")),
        power(library.function_if_there<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage")),
        energy(library.function_if_there<int(void*, unsigned long long*)>(
            "nvmlDeviceGetTotalEnergyConsumption")),
        persistence(library.function_if_there<int(void*, int*)>("nvmlDeviceGetPersistenceMode")),
        reasons(library.function_if_there<int(void*, unsigned long long*)>(
            "nvmlDeviceGetCurrentClocksEventReasons")) {
    if (!reasons) {  // its name before driver 535
      reasons = library.function_if_there<int(void*, unsigned long long*)>(
          "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
  }

  /// Watts at this moment; where the card cannot tell, the mean that the driver keeps (over a second,
  /// from Ampere on).
  std::optional<double> power_w(void* card) const {
    FieldValue field;
    field.field = kPowerInstant;
    if (field_values && field_values(card, 1, &field) == kSuccess && field.status == kSuccess &&
        field.value.as_unsigned > 0) {
      return field.value.as_unsigned / kMilliwattsPerWatt;
    }
    unsigned milliwatts = 0;
    if (power && power(card, &milliwatts) == kSuccess) return milliwatts / kMilliwattsPerWatt;
    return {};
  }

  int (*clock)(void*, int, unsigned*);
  int (*temperature)(void*, int, unsigned*);
  int (*field_values)(void*, int, FieldValue*);
  int (*power)(void*, unsigned*);
  int (*energy)(void*, unsigned long long*);  ///< from Volta on
  int (*persistence)(void*, int*);
  int (*reasons)(void*, unsigned long long*);
};

Nvml::Nvml(const std::string& pci_bus_id, const std::string& library_name) {
  const DynamicLibrary library({library_name});
  const auto init = library.function_if_there<int()>("nvmlInit_v2");
  const auto find = library.function_if_there<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (!init || !find || init() != kSuccess) return;
  if (find(pci_bus_id.c_str(), &card_) != kSuccess) card_ = nullptr;
  functions_ = std::make_unique<Functions>(library);
}

Nvml::~Nvml() = default;

Reading Nvml::read() const {
  Reading now;
  if (!found()) return now;
  unsigned value = 0;
  if (functions_->clock && functions_->clock(card_, kClockSm, &value) == kSuccess) now.clock_mhz = value;
  now.power_w = functions_->power_w(card_);
  if (functions_->temperature && functions_->temperature(card_, kTemperatureGpu, &value) == kSuccess) {
    now.temperature_c = value;
  }
  unsigned long long millijoules = 0;
  if (functions_->energy && functions_->energy(card_, &millijoules) == kSuccess) {
    now.energy_j = static_cast<double>(millijoules) / kMillijoulesPerJoule;
  }
  unsigned long long reasons = 0;
  if (functions_->reasons && functions_->reasons(card_, &reasons) == kSuccess) {
    now.throttle_reasons = throttle_reasons(reasons);
  }
  return now;
}

std::optional<bool> Nvml::persistence_mode() const {
  int enabled = 0;
  if (!found() || !functions_->persistence || functions_->persistence(card_, &enabled) != kSuccess) return {};
  return enabled != 0;
}

}  // namespace gemmlab::gpu
