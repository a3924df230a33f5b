// What a barrier costs a team of threads.

#include "operations/barrier/barrier.h"

#include <omp.h>

#include "core/machine/machine.h"
#include "core/session_row.h"

namespace gemmlab::cpu {
namespace {

using waiting::kGiven;
using waiting::kReceived;
using waiting::kStretch;

class BarrierSession : public Session {
 public:
  static constexpr bool kResident = false;

  BarrierSession(const Instance& instance, const Parameters&)
      : threads_(static_cast<int>(instance.dims.at(0))),
        stretches_(instance.dims.at(1)),
        numbers_(2 * static_cast<std::size_t>(threads_)) {}

  void run(const Operands& operands) override {
    omp_set_dynamic(0);  // OMP_DYNAMIC in the environment would let the runtime start fewer
    const auto* given = operands.in<std::int32_t>(kGiven);
    auto* received = operands.out<std::int32_t>(kReceived);
#pragma omp parallel num_threads(threads_)
    {
      const int mine = omp_get_thread_num();
      const int right = (mine + 1) % threads_;
      std::int32_t number = given[mine];
      for (std::int64_t stretch = 0; stretch < stretches_; ++stretch) {
        Number* numbers = &numbers_[static_cast<std::size_t>(stretch % 2 * threads_)];  // by turns
        numbers[mine].value = number;
        for (int i = 0; i < kStretch; ++i) {
#pragma omp barrier
        }
        number = numbers[right].value;
      }
      received[mine] = number;
#pragma omp single
      threads_actual_ = omp_get_num_threads();
    }
  }
  int threads_actual() const override {
    return threads_actual_;
  }

 private:
  struct alignas(64) Number {
    std::int32_t value = 0;
  };
  int threads_;
  std::int64_t stretches_;
  std::vector<Number> numbers_;
  int threads_actual_ = 0;
};

std::string why_not_threads(const Instance& instance, const Parameters&) {
  const int cores = cpu_info().cores;
  if (instance.dims.at(0) <= cores) return {};
  return std::to_string(instance.dims.at(0)) + " threads on " + std::to_string(cores) +
         " cores: a thread without a core cannot wait for the others";
}

}  // namespace

const Implementation& barrier() {
  static const SessionRow<BarrierSession> row(
      {.id = "cpu.barrier",
       .name = "barrier",
       .summary = "a team of OpenMP, barrier after barrier",
       .source = "OpenMP 4.5, 2.13.3; Bull, EPCC microbenchmarks, 1999",
       .counterpart = "gpu.barrier",
       .operation = "barrier"},
      why_not_threads);
  return row;
}

}  // namespace gemmlab::cpu
