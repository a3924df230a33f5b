#include "core/timing/first_call.h"

#include <omp.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/inputs/matrix.h"
#include "core/statistics.h"

namespace gemmlab {
namespace {

constexpr int kSteadyCalls = 20;
constexpr double kSteadyLimit_s = 2;

/// Phases one after the other: each begins where the one before ended.
class Laps {
 public:
  explicit Laps(FirstCall& call) : call_(call), last_(Clock::now()) {}
  void end(const char* phase) {
    const auto now = Clock::now();
    call_.phases_s.emplace_back(phase, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  FirstCall& call_;
  Clock::time_point last_;
};

/// The median of later calls, each waited for.
double steady_s(Backend& backend, const Backend::Call& call) {
  std::vector<double> samples;
  double spent_s = 0;
  while (static_cast<int>(samples.size()) < kSteadyCalls && spent_s < kSteadyLimit_s) {
    samples.push_back(backend.sample({call}, Scope::kCall, Timing::kLaunch, 0));
    spent_s += samples.back();
  }
  return median(samples);
}

/// The operands where a program has them. Filled on one thread, which then ends: a team of threads that is
/// there already would no longer have to be made by the first call.
class HostOperands {
 public:
  explicit HostOperands(const Point& point) : instance_(point.instance), specs_(instance_.operands()) {
    std::vector<void*> at;
    for (std::size_t i = 0; i < count(); ++i) {
      memory_.emplace_back(instance_.bytes(i));
      at.push_back(memory_.back().data());
    }
    operands_ = Operands(std::move(at));
    kept_.resize(count());
    std::thread([&] {
      omp_set_num_threads(1);
      for (std::size_t i = 0; i < count(); ++i) {
        if (direction(i) != Direction::kOut)
          instance_.operation->fill(instance_, i, point.values(), 0, operands_.at(i));
      }
    }).join();
  }

  std::size_t count() const { return specs_.size(); }
  std::int64_t bytes(std::size_t operand) const { return instance_.bytes(operand); }
  Direction direction(std::size_t operand) const { return specs_.at(operand).direction; }
  void* at(std::size_t operand) const { return operands_.at(operand); }

  /// What the first call has left, where later calls cannot change it any more.
  Operands results() const {
    std::vector<void*> at;
    for (std::size_t i = 0; i < count(); ++i) at.push_back(kept_[i].count() > 0 ? kept(i) : operands_.at(i));
    return Operands(std::move(at));
  }
  void keep(std::size_t operand) {
    kept_[operand] = AlignedArray<char>(bytes(operand));
    std::memcpy(kept_[operand].data(), at(operand), static_cast<std::size_t>(bytes(operand)));
  }

 private:
  void* kept(std::size_t operand) const { return const_cast<char*>(kept_[operand].data()); }

  const Instance& instance_;
  std::vector<OperandSpec> specs_;
  std::vector<AlignedArray<char>> memory_;
  std::vector<AlignedArray<char>> kept_;
  Operands operands_;
};

/// Memory of a backend that is given back with this object.
class Borrowed {
 public:
  explicit Borrowed(Backend& backend) : backend_(backend) {}
  ~Borrowed() {
    for (void* memory : taken_) {
      try {
        backend_.release(memory);
      } catch (const std::exception&) {
        // the device is lost: what was computed has said so already
      }
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  void* take(std::int64_t bytes) {
    taken_.push_back(backend_.allocate_bytes(bytes));
    return taken_.back();
  }

 private:
  Backend& backend_;
  std::vector<void*> taken_;
};

/// Writes the outputs once, all bits set (see Backend::poison_bytes).
void poison_outputs(const HostOperands& host) {
  for (std::size_t i = 0; i < host.count(); ++i) {
    if (host.direction(i) == Direction::kOut)
      std::memset(host.at(i), 0xff, static_cast<std::size_t>(host.bytes(i)));
  }
}

/// To a memory of the device's own the operands travel; else a program computes where they lie, and only the
/// outputs' memory is new.
FirstCall measured(const Implementation& implementation, const Point& point,
                   const std::function<std::unique_ptr<Backend>()>& make_backend, HostOperands& host,
                   Outcome& outcome) {
  FirstCall call;
  const bool travels = implementation.description().device.own_memory;
  if (travels) poison_outputs(host);
  Laps laps(call);
  const std::unique_ptr<Backend> backend = make_backend();
  if (travels) laps.end("context");
  Borrowed memory(*backend);
  std::vector<void*> at;
  for (std::size_t i = 0; i < host.count(); ++i)
    at.push_back(travels || host.direction(i) == Direction::kOut ? memory.take(host.bytes(i)) : host.at(i));
  const Operands operands(at);
  laps.end("allocation");
  if (travels) {
    for (std::size_t i = 0; i < host.count(); ++i) {
      if (host.direction(i) != Direction::kOut) backend->upload_bytes(at[i], host.at(i), host.bytes(i));
    }
    laps.end("transfer_in");
  }
  const std::unique_ptr<Session> session = implementation.prepare(point.instance, point.parameters);
  laps.end("prepare");
  if (travels) {
    outcome.resources = session->resources();
    // a library's code is loaded by its own preparation and first call
    if (!outcome.resources.empty()) laps.end("module");
  }
  session->run(operands);
  backend->synchronize();
  laps.end("kernel");
  for (std::size_t i = 0; i < host.count(); ++i) {
    if (host.direction(i) == Direction::kIn) continue;
    if (at[i] != host.at(i)) {
      backend->download_bytes(host.at(i), at[i], host.bytes(i));
    } else {
      host.keep(i);
    }
  }
  if (travels) laps.end("transfer_out");
  call.steady_s = steady_s(*backend, [&] { session->run(operands); });
  outcome.threads_actual = session->threads_actual();
  outcome.chosen = session->chosen();
  return call;
}

}  // namespace

Outcome first_call(const Implementation& implementation, const Point& point,
                   const std::function<std::unique_ptr<Backend>()>& make_backend,
                   const DoubleProduct& product) {
  Outcome outcome;
  outcome.moved_bytes = implementation.moved_bytes(point.instance, point.parameters);
  if (std::string refusal = refused_scope(implementation, point); !refusal.empty()) {
    outcome.status = Status::kUnsupported;
    outcome.reason = std::move(refusal);
    return outcome;
  }
  HostOperands host(point);
  try {
    outcome.first_calls = {measured(implementation, point, make_backend, host, outcome)};
    outcome.samples_s = {outcome.first_calls.front().total_s()};
  } catch (const OutOfMemory& error) {
    outcome.status = Status::kOutOfMemory;
    outcome.reason = error.what();
    return outcome;
  } catch (const std::exception& error) {
    outcome.reason = error.what();
    return outcome;
  }
  const Operation& operation = *point.instance.operation;
  const Operands results = host.results();
  outcome.checks = operation.reference(point.instance, point.values(), product)->check(results, 0);
  outcome.checks.push_back(operation.unchanged(point.instance, results, point.values(), 0));
  outcome.status = status_of(outcome.checks, implementation.precision(point.instance));
  if (outcome.status != Status::kOk) outcome.reason = "what the first call computed is wrong";
  return outcome;
}

}  // namespace gemmlab
