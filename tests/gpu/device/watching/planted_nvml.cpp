// A library with NVML's functions and one card, at "0000:3B:00.0", whose state is known: each time its
// clock is asked for it has risen by 1 MHz from 1,000. It draws 400 W: its counter of energy rises by 8 J
// each 20 ms.

#include <chrono>
#include <cstring>

namespace {

int the_card = 0;
unsigned times_asked = 0;
constexpr int kSuccess = 0;
constexpr int kNotFound = 6;
constexpr int kNotSupported = 3;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return kSuccess;
}

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "580.1.2", length);
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** card) {
  if (std::strcmp(bus_id, "0000:3B:00.0") != 0) return kNotFound;
  *card = &the_card;
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void* card, int clock, unsigned* mhz) {
  constexpr int kSm = 1;
  if (card != &the_card || clock != kSm) return kNotSupported;
  *mhz = 1000 + ++times_asked;
  return kSuccess;
}

int nvmlDeviceGetTemperature(void* card, int sensor, unsigned* celsius) {
  if (card != &the_card || sensor != 0) return kNotSupported;
  *celsius = 61;
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(void* card, unsigned* milliwatts) {
  if (card != &the_card) return kNotSupported;
  *milliwatts = 345'600;
  return kSuccess;
}

int nvmlDeviceGetTotalEnergyConsumption(void* card, unsigned long long* millijoules) {
  if (card != &the_card) return kNotSupported;
  const auto passed = std::chrono::steady_clock::now().time_since_epoch();
  *millijoules = 8000ULL * static_cast<unsigned long long>(passed / std::chrono::milliseconds(20));
  return kSuccess;
}

int nvmlDeviceGetPersistenceMode(void* card, int* mode) {
  if (card != &the_card) return kNotSupported;
  *mode = 1;
  return kSuccess;
}

// the name of before driver 535, as an older card's library has it
int nvmlDeviceGetCurrentClocksThrottleReasons(void* card, unsigned long long* reasons) {
  if (card != &the_card) return kNotSupported;
  *reasons = 0x04 | 0x40 | 0x10;  // the last, sync boost, is no throttling
  return kSuccess;
}

}  // extern "C"
