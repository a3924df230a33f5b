#include "gpu/device/watching/watch.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/machine/machine.h"

namespace gemmlab::gpu {
namespace {

// Two updates lie up to 100 ms apart, and each is seen up to one period late.
constexpr double kEnergySpan_s = 50e-3;
constexpr int kFewestRises = 3;
constexpr double kPowerSpan_s = 200e-3;

double seconds_between(GpuWatch::Clock::time_point from, GpuWatch::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Between the first rise of the counter that was seen and the last: what it showed before the first rise is
/// from before it.
std::optional<Energy> counted(const std::vector<TimedReading>& readings) {
  const TimedReading* first = nullptr;
  const TimedReading* last = nullptr;
  const TimedReading* before = nullptr;
  int rises = 0;
  for (const TimedReading& one : readings) {
    if (!one.reading.energy_j) continue;
    if (before != nullptr && *one.reading.energy_j > *before->reading.energy_j) {
      ++rises;
      if (first == nullptr) first = &one;
      last = &one;
    }
    before = &one;
  }
  if (rises < kFewestRises) return {};
  const double seconds = seconds_between(first->when, last->when);
  if (seconds < kEnergySpan_s) return {};
  return Energy{*last->reading.energy_j - *first->reading.energy_j, seconds, kEnergyCounter};
}

std::optional<Energy> integrated(const std::vector<TimedReading>& readings) {
  Energy sum{0, 0, kIntegratedPower};
  const TimedReading* before = nullptr;
  for (const TimedReading& one : readings) {
    if (!one.reading.power_w) continue;
    if (before != nullptr) {
      const double seconds = seconds_between(before->when, one.when);
      sum.joules += seconds * (*before->reading.power_w + *one.reading.power_w) / 2;
      sum.seconds += seconds;
    }
    before = &one;
  }
  if (sum.seconds < kPowerSpan_s) return {};
  return sum;
}

}  // namespace

std::optional<Energy> energy_of(const std::vector<TimedReading>& readings) {
  const std::optional<Energy> energy = counted(readings);
  return energy ? energy : integrated(readings);
}

GpuWatch::GpuWatch(std::string pci_bus_id, std::string library)
    : pci_bus_id_(std::move(pci_bus_id)), library_(std::move(library)) {}

GpuWatch::~GpuWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void GpuWatch::begin(Clock::duration quiet) {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  {
    const std::lock_guard lock(mutex_);
    ++sample_;
    readings_.clear();
    timing_ = true;
    once_ = false;
    not_before_ = Clock::now() + quiet;
  }
  work_.notify_all();
}

void GpuWatch::end(bool after) {
  {
    const std::lock_guard lock(mutex_);
    timing_ = false;
    once_ = after && !absent_ && !reading_ && readings_.empty() && Clock::now() >= next_after_;
  }
  work_.notify_all();
}

Conditions GpuWatch::seen() {
  std::unique_lock lock(mutex_);
  read_.wait(lock, [&] { return absent_ || (!reading_ && !once_); });
  Conditions conditions;
  for (const TimedReading& one : readings_) conditions.readings.push_back(one.reading);
  conditions.energy = energy_of(readings_);
  return conditions;
}

std::string GpuWatch::why_no_energy() {
  const std::lock_guard lock(mutex_);
  if (absent_) return "the card was not found by NVML (" + library_ + ")";
  for (const TimedReading& one : readings_) {
    if (one.reading.energy_j || one.reading.power_w)
      return "the sample was too short: the card renews its counter and its power every 20 to 100 ms";
  }
  return "the card tells NVML neither its energy nor its power";
}

/// Makes one reading, without the lock, and keeps it where it is still of the sample that it began in.
void GpuWatch::read_once(const Nvml& card, std::unique_lock<std::mutex>& lock) {
  const std::uint64_t sample = sample_;
  reading_ = true;
  once_ = false;
  lock.unlock();
  const Clock::time_point start = Clock::now();
  const Reading reading = card.read();
  const Clock::time_point end = Clock::now();
  lock.lock();
  reading_ = false;
  next_ = end + std::max<Clock::duration>(kPeriod, kCostFactor * (end - start));
  next_after_ = end + std::max<Clock::duration>(kSeldom, 2 * kCostFactor * (end - start));
  const bool told = reading.clock_mhz || reading.power_w || reading.temperature_c || reading.throttle_reasons;
  if (told && sample == sample_) readings_.push_back({start + (end - start) / 2, reading});
  read_.notify_all();
}

void GpuWatch::work() {
  // not on the core that the launching thread, whose binding it has inherited, may be bound to
  bind_thread(::gettid(), std::nullopt);
  const Nvml card(pci_bus_id_, library_);
  std::unique_lock lock(mutex_);
  if (!card.found()) {
    absent_ = true;
    read_.notify_all();
    return;
  }
  while (!ending_) {
    if (!timing_ && !once_) {
      work_.wait(lock);
      continue;
    }
    const Clock::time_point due = once_ ? Clock::time_point() : std::max(next_, not_before_);
    if (Clock::now() < due) {
      work_.wait_until(lock, due);
    } else {
      read_once(card, lock);
    }
  }
}

}  // namespace gemmlab::gpu
