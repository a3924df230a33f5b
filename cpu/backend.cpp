#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/machine/machine.h"
#include "core/machine/rapl.h"
#include "core/rounding.h"
#include "core/statistics.h"
#include "core/timing/elapsed.h"
#include "cpu/device/sample_watch.h"
#include "cpu/table.h"

namespace gemmlab::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kAlignment = 64;
constexpr std::chrono::seconds kLookEach{5};  // long before a counter of energy goes round

/// Calls part(begin, end) for equal shares of 0..bytes on all cores. First touch: whoever writes a page first
/// decides which NUMA node it lies on, and the methods share rows out in the same order, so that a thread
/// finds its rows of A and C near it.
template <typename Part>
void share_out(std::int64_t bytes, const Part& part) {
  constexpr std::int64_t kWorth = 1 << 20;
  const int threads = bytes < kWorth ? 1 : cpu_info().cores;
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t parts = omp_get_num_threads();
    const std::int64_t mine = omp_get_thread_num();
    part(bytes / parts * mine + std::min(mine, bytes % parts),
         bytes / parts * (mine + 1) + std::min(mine + 1, bytes % parts));
  }
}

[[noreturn]] void refuse(std::size_t bytes) {
  throw OutOfMemory("host memory: " + std::to_string(bytes) + " bytes asked for, " +
                    std::to_string(available_memory_bytes()) + " available");
}

void copy(void* to, const void* from, std::int64_t bytes) {
  share_out(bytes, [=](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

/// Bytes in whole cache lines, at least one. Linux grants more than there is and kills the process when it is
/// used, so large requests are compared with what there is first.
std::size_t grantable_bytes(std::int64_t wanted) {
  constexpr std::size_t kWorthAsking = 64 << 20;
  const std::size_t bytes = std::max(kAlignment, rounded_up(static_cast<std::size_t>(wanted), kAlignment));
  if (bytes >= kWorthAsking && bytes > static_cast<std::size_t>(available_memory_bytes())) refuse(bytes);
  return bytes;
}

/// Memory straight from the system, none of whose pages was touched before.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) refuse(bytes);
  }
  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Host memory in cache lines, and the steady clock.
class HostBackend : public Backend {
 public:
  const Device& device() const override { return Device::kCpu; }

  void* allocate_bytes(std::int64_t wanted) override {
    const std::size_t bytes = grantable_bytes(wanted);
    void* memory = std::aligned_alloc(kAlignment, bytes);
    if (memory == nullptr) refuse(bytes);
    return memory;
  }
  void release(void* memory) override { std::free(memory); }
  void upload_bytes(void* device_to, const void* host_from, std::int64_t bytes) override {
    copy(device_to, host_from, bytes);
  }
  void download_bytes(void* host_to, const void* device_from, std::int64_t bytes) override {
    copy(host_to, device_from, bytes);
  }
  void poison_bytes(void* memory, std::int64_t bytes) override {
    share_out(bytes, [=](std::int64_t begin, std::int64_t end) {
      std::memset(static_cast<char*>(memory) + begin, 0xff, static_cast<std::size_t>(end - begin));
    });
  }
  void synchronize() override {}

  std::int64_t free_bytes() override { return available_memory_bytes(); }
  std::int64_t last_level_cache_bytes() const override { return host_cache_bytes(); }

  void settle(const Call& call) override {
    watch_.settle(call);
    conditions_ = {};
  }
  /// Of all calls of end_to_end_s() since settle(), where one sample is several of them.
  Conditions conditions() override { return conditions_; }
  void drop_graphs() override { watch_.forget_keys(); }

  void begin_energy() override {
    energy_since_ = Clock::now();
    if (!rapl_) rapl_.emplace();
    looked_ = *energy_since_;
    rapl_->begin();
  }
  std::optional<Energy> end_energy() override {
    rapl_->look();
    const double seconds = seconds_since(*energy_since_);
    energy_since_.reset();
    if (!(rapl_->joules() > 0)) return {};
    return Energy{rapl_->joules(), seconds, kRaplPackage};
  }
  std::string why_no_energy() const override {
    return rapl_->unavailable().empty() ? "the packages' counters (RAPL) stood still" : rapl_->unavailable();
  }

  /// A call has returned when its work is done, so every scope is the same clock, and a batch is its calls
  /// in a row.
  double sample(const std::vector<Call>& calls, Scope, Timing, std::uint64_t key) override {
    conditions_ = {};
    const double seconds = watched(key, [&] {
      const auto start = Clock::now();
      for (const Call& call : calls) call();
      return seconds_since(start);
    });
    watch_.forget_threads();
    return seconds;
  }

  /// Watched as one sample: what is seen of its threads is told of all.
  void sustain(const NextCalls& next, Scope, Timing, std::uint64_t key, const Took& took) override {
    conditions_ = {};
    watched(key, [&] {
      double seconds = 0;
      for (bool more = true; more;) {
        const std::vector<Call>& calls = next();
        const auto start = Clock::now();
        for (const Call& call : calls) call();
        const double one = seconds_since(start);
        seconds += one;
        more = took(one);
        if (energy_since_) look_now_and_then();
      }
      return seconds;
    });
    watch_.forget_threads();
  }

  /// To a CPU all of its memory is the same, and a GPU's driver alone can lock pages for transfers.
  void* allocate_host_bytes(std::int64_t bytes, HostMemory) override { return allocate_bytes(bytes); }
  void release_host(void* memory, HostMemory) override { release(memory); }
  double end_to_end_s(const EndToEnd& work) override {
    const bool kept = work.allocation == Allocation::kNotCounted;
    return watched(0, [&] { return kept ? with_given_memory(work) : with_fresh_outputs(work); });
  }

 private:
  /// Seconds that `timed` returns.
  template <typename Timed>
  double watched(std::uint64_t key, const Timed& timed) {
    if (energy_since_) return counted(timed);
    watch_.begin(key);
    try {
      const double seconds = timed();
      watch_.end(conditions_);
      return seconds;
    } catch (...) {
      watch_.abandon();
      throw;
    }
  }
  /// In a stretch of which nothing but the energy is told.
  template <typename Timed>
  double counted(const Timed& timed) {
    const double seconds = timed();
    look_now_and_then();
    return seconds;
  }
  void look_now_and_then() {
    if (Clock::now() - looked_ <= kLookEach) return;
    rapl_->look();
    looked_ = Clock::now();
  }
  static Operands operands_of(const EndToEnd& work) {
    std::vector<void*> at;
    for (const EndToEnd::Operand& operand : work.operands) at.push_back(operand.host);
    return Operands(std::move(at));
  }
  static double with_given_memory(const EndToEnd& work) {
    const Operands operands = operands_of(work);
    const auto start = Clock::now();
    work.run(operands);
    return seconds_since(start);
  }
  /// Outputs straight from the system, so that every sample pays for their pages: malloc would hand back
  /// those that the last sample has touched. The copy to where they are looked for is not part of the
  /// program, nor of its time.
  static double with_fresh_outputs(const EndToEnd& work) {
    std::vector<void*> at;
    std::vector<Pages> pages;
    at.reserve(work.operands.size());
    pages.reserve(work.operands.size());
    const auto start = Clock::now();
    for (const EndToEnd::Operand& operand : work.operands) {
      at.push_back(operand.host);
      if (operand.direction != Direction::kOut) continue;
      pages.emplace_back(grantable_bytes(operand.bytes));
      at.back() = pages.back().data();
    }
    const Operands operands(std::move(at));
    work.run(operands);
    const double seconds = seconds_since(start);
    // by this thread alone: more would count as the call's
    for (std::size_t i = 0; i < work.operands.size(); ++i) {
      const EndToEnd::Operand& operand = work.operands[i];
      if (operand.direction == Direction::kOut)
        std::memcpy(operand.host, operands.at(i), static_cast<std::size_t>(operand.bytes));
    }
    const auto giving_back = Clock::now();
    pages.clear();
    return seconds + seconds_since(giving_back);
  }

  SampleWatch watch_;
  Conditions conditions_;
  std::optional<Rapl> rapl_;                       ///< opened when first needed
  std::optional<Clock::time_point> energy_since_;  ///< a stretch goes on
  Clock::time_point looked_;                       ///< at the counters of energy
};

}  // namespace

std::unique_ptr<Backend> make_backend() {
  return std::make_unique<HostBackend>();
}

std::vector<Cost> measure_costs() {
  std::vector<double> samples(1001);
  for (double& seconds : samples) {
    const auto start = Clock::now();
    seconds = seconds_since(start);
  }
  return {{"cpu", "clock", median(samples), "two readings of the steady clock in a row; median of 1001"}};
}

}  // namespace gemmlab::cpu
