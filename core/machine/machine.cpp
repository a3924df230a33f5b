#include "core/machine/machine.h"

#include <hwloc.h>
#include <hwloc/linux.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "core/machine/cgroup.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gemmlab {
namespace {

/// The value of the first "key : value" line of a /proc file; empty where there is none.
std::string proc_value(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const auto value = line.find_first_not_of(" \t:", key.size());
    // "model" must not answer for "model name"
    if (value == std::string::npos || line.find(':') > value) continue;
    return line.substr(value);
  }
  return {};
}

/// A topology of what this process may run on: cgroup and affinity both.
class Topology {
 public:
  Topology() {
    hwloc_topology_init(&topology_);
    // plugins that would open a GPU's driver to look for devices that are not asked for here
    for (const char* plugin : {"cuda", "nvml", "opencl"}) {
      hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, plugin);
    }
    hwloc_topology_load(topology_);
    allowed_ = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topology_, allowed_, HWLOC_CPUBIND_PROCESS) != 0 || hwloc_bitmap_iszero(allowed_)) {
      hwloc_bitmap_copy(allowed_, hwloc_topology_get_allowed_cpuset(topology_));
    }
  }
  ~Topology() {
    hwloc_bitmap_free(allowed_);
    hwloc_topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// The objects of a type that this process can reach.
  std::vector<hwloc_obj_t> reachable(hwloc_obj_type_t type) const {
    std::vector<hwloc_obj_t> objects;
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology_, type, o)) != nullptr;) {
      if (hwloc_bitmap_intersects(o->cpuset, allowed_)) objects.push_back(o);
    }
    return objects;
  }
  std::int64_t cache_bytes(hwloc_obj_type_t type) const {
    const auto caches = reachable(type);
    return caches.empty() ? 0 : static_cast<std::int64_t>(caches.front()->attr->cache.size);
  }
  /// One processor per core; all processors where cores are unknown.
  std::vector<int> first_processors() const {
    std::vector<int> processors;
    const auto cores = reachable(HWLOC_OBJ_CORE);
    for (hwloc_obj_t core : cores.empty() ? reachable(HWLOC_OBJ_PU) : cores) {
      hwloc_bitmap_t ours = hwloc_bitmap_dup(core->cpuset);
      hwloc_bitmap_and(ours, ours, allowed_);
      processors.push_back(hwloc_bitmap_first(ours));
      hwloc_bitmap_free(ours);
    }
    return processors;
  }
  bool bind(int thread_id, std::optional<int> processor) const {
    hwloc_bitmap_t set = processor ? hwloc_bitmap_alloc() : hwloc_bitmap_dup(allowed_);
    if (processor) hwloc_bitmap_only(set, static_cast<unsigned>(*processor));
    const bool bound = hwloc_linux_set_tid_cpubind(topology_, thread_id, set) == 0;
    hwloc_bitmap_free(set);
    return bound;
  }
  std::string info(const char* key) const {
    for (hwloc_obj_t o : reachable(HWLOC_OBJ_PACKAGE)) {
      if (const char* value = hwloc_obj_get_info_by_name(o, key)) return value;
    }
    return {};
  }

 private:
  hwloc_topology_t topology_ = nullptr;
  hwloc_bitmap_t allowed_ = nullptr;
};

/// Loaded once, before any thread is bound: what this process may use is what it might use then.
const Topology& topology() {
  static const Topology loaded;
  return loaded;
}

void erase_all(std::string& name, const std::string& mark) {
  for (auto at = name.find(mark); at != std::string::npos; at = name.find(mark, at))
    name.erase(at, mark.size());
}

/// Without trademarks, clock and the word CPU: "Intel Xeon Gold 6230".
std::string plain_model(std::string name) {
  for (const char* mark : {"(R)", "(r)", "(TM)", "(tm)"}) erase_all(name, mark);
  name.erase(std::min(name.find('@'), name.size()));
  std::istringstream words(name);
  std::string plain;
  for (std::string word; words >> word;) {
    if (word != "CPU") plain += (plain.empty() ? "" : " ") + word;
  }
  return plain;
}

std::string cpu_model() {
  std::string model = plain_model(topology().info("CPUModel"));
  if (model.empty()) model = plain_model(proc_value("/proc/cpuinfo", "model name"));
  if (!model.empty()) return model;
  const char* const x86[] = {"vendor_id", "cpu family", "model"};
  const char* const arm[] = {"CPU implementer", "CPU architecture", "CPU part"};
  for (const auto& keys : {x86, arm}) {
    for (int i = 0; i < 3; ++i) {
      const std::string value = proc_value("/proc/cpuinfo", keys[i]);
      if (!value.empty()) model += (model.empty() ? "" : " ") + value;
    }
    if (!model.empty()) return model;
  }
  return "unknown CPU";
}

std::vector<std::string> isas() {
  std::vector<std::string> found{"baseline"};
#if defined(__x86_64__)
  // asks the system as well as the processor: registers that it does not save cannot be used
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    found.push_back("avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      found.push_back("avx512");
    }
  }
#elif defined(__aarch64__)
  found.push_back("neon");
#endif
  return found;
}

/// A line of /proc/meminfo; 0 where there is none.
std::int64_t meminfo_bytes(const std::string& key) {
  std::istringstream words(proc_value("/proc/meminfo", key));
  std::int64_t kibibytes = 0;
  words >> kibibytes;
  return kibibytes * 1024;
}

std::string hypervisor() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c >> 31) != 0) {
    __cpuid(0x40000000, a, b, c, d);
    std::string vendor;
    for (const unsigned word : {b, c, d}) {
      for (int shift = 0; shift < 32; shift += 8) vendor += static_cast<char>(word >> shift & 0xff);
    }
    const std::pair<const char*, const char*> known[] = {
        {"KVM", "kvm"}, {"Microsoft", "hyper-v"}, {"VMware", "vmware"}, {"Xen", "xen"}};
    for (const auto& [mark, name] : known) {
      if (vendor.compare(0, std::char_traits<char>::length(mark), mark) == 0) return name;
    }
    return "virtual machine";
  }
#endif
  return {};
}

std::string container() {
  std::string found;
  if (access("/run/.containerenv", F_OK) == 0) found = "podman";
  if (found.empty() && access("/.dockerenv", F_OK) == 0) found = "docker";
  std::ifstream groups("/proc/1/cgroup");
  for (std::string line; found.empty() && std::getline(groups, line);) {
    for (const char* name : {"kubepods", "docker", "containerd", "lxc"}) {
      if (line.find(name) != std::string::npos) found = name;
    }
  }
  const std::string machine = hypervisor();
  if (machine.empty()) return found.empty() ? "none" : found;
  return found.empty() ? machine : found + " on " + machine;
}

CpuInfo read_cpu_info() {
  const Topology& here = topology();
  CpuInfo info;
  utsname system{};
  uname(&system);
  info.model = cpu_model();
  info.architecture = system.machine;
  info.kernel = std::string(system.sysname) + " " + system.release;
  info.sockets = std::max<int>(1, static_cast<int>(here.reachable(HWLOC_OBJ_PACKAGE).size()));
  const int threads = std::max<int>(1, static_cast<int>(here.reachable(HWLOC_OBJ_PU).size()));
  const int cores = static_cast<int>(here.reachable(HWLOC_OBJ_CORE).size());
  info.cores = cores > 0 ? cores : threads;
  info.first_processors = here.first_processors();
  info.threads_per_core = std::max(1, threads / info.cores);
  // half a CPU more than a whole number serves no further core
  if (const double quota = quota_cpus(); quota < info.cores)
    info.cores = std::max(1, static_cast<int>(quota));
  info.l1d_bytes = here.cache_bytes(HWLOC_OBJ_L1CACHE);
  info.l2_bytes = here.cache_bytes(HWLOC_OBJ_L2CACHE);
  for (hwloc_obj_t l3 : here.reachable(HWLOC_OBJ_L3CACHE)) {
    info.l3_bytes += static_cast<std::int64_t>(l3->attr->cache.size);
  }
  info.numa_nodes = std::max<int>(1, static_cast<int>(here.reachable(HWLOC_OBJ_NUMANODE).size()));
  // not hwloc's sum over the NUMA nodes, which leaves out memory that a virtual machine was given later
  info.memory_bytes = meminfo_bytes("MemTotal");
  if (const auto limit = cgroup_memory_limit()) info.memory_bytes = std::min(info.memory_bytes, *limit);
  info.isa = isas();
  info.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (info.governor.empty()) info.governor = "unknown";
  info.container = container();
  return info;
}

}  // namespace

const CpuInfo& cpu_info() {
  static const CpuInfo info = read_cpu_info();
  return info;
}

bool bind_thread(int thread_id, std::optional<int> processor) {
  return topology().bind(thread_id, processor);
}

std::int64_t host_cache_bytes() {
  constexpr std::int64_t kUnknown = 32 << 20;
  const CpuInfo& info = cpu_info();
  if (info.l3_bytes > 0) return info.l3_bytes;
  return info.l2_bytes > 0 ? info.l2_bytes * info.cores : kUnknown;
}

std::int64_t available_memory_bytes() {
  std::int64_t available = meminfo_bytes("MemAvailable");
  if (const auto left = cgroup_memory_left()) available = std::min(available, *left);
  return available;
}

std::string machine_slug(const std::string& cpu_model, const std::string& gpu_model) {
  std::string slug;
  for (const std::string& model : {plain_model(cpu_model), plain_model(gpu_model)}) {
    std::istringstream words(model);
    for (std::string word; words >> word;) {
      if (word == "Processor") continue;
      if (!slug.empty() && slug.back() != '-') slug += '-';
      for (const unsigned char letter : word) {
        if (std::isalnum(letter)) {
          slug += static_cast<char>(std::tolower(letter));
        } else if (!slug.empty() && slug.back() != '-') {
          slug += '-';
        }
      }
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "unknown" : slug;
}

}  // namespace gemmlab
