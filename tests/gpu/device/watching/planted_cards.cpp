// A management library with four cards, as nvidia-smi numbers them: 1 holds its clock down, 2 is busy with 100 GiB
// of another's data, 3 tells neither its use nor its memory.

#include <cstdio>
#include <cstring>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalid = 2;
constexpr int kNotSupported = 3;
constexpr unsigned kCards = 4;
constexpr unsigned long long kGibibyte = 1ULL << 30;

int the_cards[kCards];

/// Its number; kCards for what is no card.
unsigned number_of(void* card) {
  for (unsigned i = 0; i < kCards; ++i) {
    if (card == &the_cards[i]) return i;
  }
  return kCards;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return kSuccess;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = kCards;
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** card) {
  if (index >= kCards) return kInvalid;
  *card = &the_cards[index];
  return kSuccess;
}

int nvmlDeviceGetUUID(void* card, char* uuid, unsigned length) {
  std::snprintf(uuid, length, "GPU-%ub2c3d4e-0000-1111-2222-333344445555", number_of(card));
  return kSuccess;
}

int nvmlDeviceGetName(void*, char* name, unsigned length) {
  std::snprintf(name, length, "NVIDIA Planted");
  return kSuccess;
}

int nvmlDeviceGetPciInfo_v3(void* card, void* info) {
  constexpr int kBusIdAt = 36;
  std::snprintf(static_cast<char*>(info) + kBusIdAt, 32, "00000000:%u0:00.0", number_of(card) + 1);
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** card) {
  unsigned number = 0;
  if (std::sscanf(bus_id, "00000000:%1u0:00.0", &number) != 1 || number < 1 || number > kCards)
    return kInvalid;
  *card = &the_cards[number - 1];
  return kSuccess;
}

int nvmlDeviceGetMemoryInfo(void* card, unsigned long long* total_free_used) {
  const unsigned number = number_of(card);
  if (number == 3) return kNotSupported;
  const unsigned long long used = number == 2 ? 100 * kGibibyte : kGibibyte;
  const unsigned long long values[] = {140 * kGibibyte, 140 * kGibibyte - used, used};
  std::memcpy(total_free_used, values, sizeof(values));
  return kSuccess;
}

int nvmlDeviceGetUtilizationRates(void* card, unsigned* gpu_and_memory) {
  const unsigned number = number_of(card);
  if (number == 3) return kNotSupported;
  gpu_and_memory[0] = number == 2 ? 93 : 0;
  gpu_and_memory[1] = 0;
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void* card, int, unsigned* mhz) {
  *mhz = number_of(card) == 1 ? 900 : 1980;
  return kSuccess;
}

int nvmlDeviceGetTemperature(void* card, int, unsigned* celsius) {
  *celsius = number_of(card) == 1 ? 89 : 35;
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 120'000;
  return kSuccess;
}

int nvmlDeviceGetPersistenceMode(void* card, int* mode) {
  *mode = number_of(card) == 3 ? 0 : 1;
  return kSuccess;
}

int nvmlDeviceGetCurrentClocksEventReasons(void* card, unsigned long long* reasons) {
  *reasons = number_of(card) == 1 ? 0x40 : 0x01;  // a hot card's; that it idles
  return kSuccess;
}

}  // extern "C"
