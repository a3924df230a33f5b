#include "gpu/device/watching/cards.h"

#include "gpu/device/dynamic_library.h"

namespace gemmlab::gpu {
namespace {

// From NVML's published interface, which keeps its numbers and structures.
constexpr int kNvmlSuccess = 0;

/// nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3.
struct PciInfo {
  char old_bus_id[16];
  unsigned domain, bus, device, id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68, "nvmlPciInfo_t has 68 bytes");

/// nvmlMemory_t, in bytes.
struct MemoryInfo {
  unsigned long long total, free, used;
};

/// nvmlUtilization_t, in percent.
struct Utilization {
  unsigned gpu, memory;
};

struct Listing {
  explicit Listing(const DynamicLibrary& library)
      : init(library.function_if_there<int()>("nvmlInit_v2")),
        count(library.function_if_there<int(unsigned*)>("nvmlDeviceGetCount_v2")),
        handle(library.function_if_there<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")),
        uuid(library.function_if_there<int(void*, char*, unsigned)>("nvmlDeviceGetUUID")),
        name(library.function_if_there<int(void*, char*, unsigned)>("nvmlDeviceGetName")),
        pci(library.function_if_there<int(void*, PciInfo*)>("nvmlDeviceGetPciInfo_v3")),
        memory(library.function_if_there<int(void*, MemoryInfo*)>("nvmlDeviceGetMemoryInfo")),
        utilization(library.function_if_there<int(void*, Utilization*)>("nvmlDeviceGetUtilizationRates")) {}

  bool complete() const { return init && count && handle && uuid && pci; }

  int (*init)();
  int (*count)(unsigned*);
  int (*handle)(unsigned, void**);
  int (*uuid)(void*, char*, unsigned);
  int (*name)(void*, char*, unsigned);
  int (*pci)(void*, PciInfo*);
  int (*memory)(void*, MemoryInfo*);
  int (*utilization)(void*, Utilization*);
};

std::optional<Card> card_at(const Listing& nvml, unsigned index, const std::string& library) {
  void* handle = nullptr;
  char uuid[96] = {};
  char name[96] = {};
  PciInfo pci = {};
  if (nvml.handle(index, &handle) != kNvmlSuccess || nvml.uuid(handle, uuid, sizeof(uuid)) != kNvmlSuccess ||
      nvml.pci(handle, &pci) != kNvmlSuccess)
    return {};
  Card card;
  card.index = static_cast<int>(index);
  card.uuid = uuid;
  card.bus_id = pci.bus_id;
  if (nvml.name && nvml.name(handle, name, sizeof(name)) == kNvmlSuccess) card.name = name;
  if (MemoryInfo memory = {}; nvml.memory && nvml.memory(handle, &memory) == kNvmlSuccess) {
    card.memory_bytes = static_cast<std::int64_t>(memory.total);
    card.memory_used_bytes = static_cast<std::int64_t>(memory.used);
  }
  if (Utilization busy = {}; nvml.utilization && nvml.utilization(handle, &busy) == kNvmlSuccess)
    card.busy_percent = static_cast<int>(busy.gpu);
  const Nvml state(card.bus_id, library);
  card.persistence_mode = state.persistence_mode();
  card.now = state.read();
  return card;
}

}  // namespace

std::vector<Card> cards(const std::string& library_name) {
  const DynamicLibrary library({library_name});
  const Listing nvml(library);
  unsigned count = 0;
  if (!nvml.complete() || nvml.init() != kNvmlSuccess || nvml.count(&count) != kNvmlSuccess) return {};
  std::vector<Card> found;
  for (unsigned index = 0; index < count; ++index) {
    if (std::optional<Card> card = card_at(nvml, index, library_name)) found.push_back(std::move(*card));
  }
  return found;
}

}  // namespace gemmlab::gpu
