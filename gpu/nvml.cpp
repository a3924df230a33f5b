#include "gpu/nvml.h"

#include <algorithm>
#include <utility>

#include "gpu/dynamic_library.h"

namespace gemmlab::gpu {
namespace {

// From NVML's published interface, which keeps its numbers: NVML_SUCCESS, NVML_CLOCK_SM, NVML_TEMPERATURE_GPU
// and NVML_FI_DEV_POWER_INSTANT.
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kPowerInstant = 186;
constexpr double kMilliwattsPerWatt = 1000;

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
        persistence(library.function_if_there<int(void*, int*)>("nvmlDeviceGetPersistenceMode")),
        reasons(library.function_if_there<int(void*, unsigned long long*)>(
            "nvmlDeviceGetCurrentClocksEventReasons")) {
    if (!reasons) {  // its name before driver 535
      reasons = library.function_if_there<int(void*, unsigned long long*)>(
          "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
  }

  /// Watts at this moment; where the card cannot tell, the mean that the driver keeps (over a second, from
  /// Ampere on).
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

Conditions Nvml::read() const {
  Conditions now;
  if (!found()) return now;
  unsigned value = 0;
  if (functions_->clock && functions_->clock(card_, kClockSm, &value) == kSuccess) now.clock_mhz = value;
  now.power_w = functions_->power_w(card_);
  if (functions_->temperature && functions_->temperature(card_, kTemperatureGpu, &value) == kSuccess) {
    now.temperature_c = value;
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

GpuWatch::GpuWatch(std::string pci_bus_id, std::string library)
    : pci_bus_id_(std::move(pci_bus_id)), library_(std::move(library)) {}

void GpuWatch::look() {
  fresh_ = false;
  if (!nvml_) nvml_ = std::make_unique<Nvml>(pci_bus_id_, library_);
  if (!nvml_->found()) return;
  const Clock::time_point start = Clock::now();
  if (start < next_) return;
  const Conditions read = nvml_->read();
  const Clock::time_point end = Clock::now();
  // a reading takes from 10 µs to some milliseconds, by the card and its driver
  next_ = end + std::clamp<Clock::duration>(19 * (end - start), kShortest, kLongest);
  if (read.clock_mhz || read.power_w || read.temperature_c || read.throttle_reasons) {
    seen_ = read;
    fresh_ = true;
    last_read_ = end;
  } else if (last_read_ && end - *last_read_ > kLongest) {
    seen_ = {};  // the card has fallen silent
  }
}

}  // namespace gemmlab::gpu
