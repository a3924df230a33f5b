// Reading memory: by loads of 1 to 64 bytes, at an offset, with a stride, by one thread or by all cores. A
// thread has the same share in each pass, so that what it reads again may lie in the caches of its core.

#include "core/access/access.h"

#include <omp.h>

#include <algorithm>

#include "core/machine.h"
#include "core/session_row.h"
#include "cpu/access/sums.h"

namespace gemmlab::cpu {
namespace {

using gemmlab::accessing::kTotal;
using gemmlab::accessing::kValues;
using gemmlab::accessing::Pattern;

class AccessSession : public Session {
 public:
  static constexpr bool kResident = false;

  AccessSession(const Instance& instance, const Parameters& parameters)
      : pattern_(gemmlab::accessing::pattern_of(instance)),
        sum_(accessing::sum_of_width(integer(parameters, "width"))),
        threads_(static_cast<int>(integer(parameters, "threads"))) {}

  void run(const Operands& operands) override {
    omp_set_dynamic(0);  // OMP_DYNAMIC in the environment would let the runtime start fewer
    const std::int32_t* first = operands.in<std::int32_t>(kValues) + pattern_.offset;
    std::int64_t total = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : total)
    {
      const std::int64_t threads = omp_get_num_threads();
      const std::int64_t mine = omp_get_thread_num();
      const std::int64_t begin = pattern_.n * mine / threads;
      const std::int64_t end = pattern_.n * (mine + 1) / threads;
      total += sum_(first + begin * pattern_.stride, end - begin, pattern_.stride, pattern_.passes);
#pragma omp single
      threads_actual_ = static_cast<int>(threads);
    }
    *operands.out<std::int64_t>(kTotal) = total;
  }
  int threads_actual() const override {
    return threads_actual_;
  }

 private:
  Pattern pattern_;
  accessing::Sum sum_;
  int threads_;
  int threads_actual_ = 0;
};

std::string why_not_width(const Instance& instance, const Parameters& parameters) {
  return gemmlab::accessing::why_not_width(gemmlab::accessing::pattern_of(instance),
                                           integer(parameters, "width"), false);
}

ParameterSpec width_parameter() {
  ParameterSpec spec;
  spec.name = "width";
  spec.summary = "bytes per load";
  spec.choices = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16}};
  for (const auto& [isa, width] : {std::pair("avx2", 32), std::pair("avx512", 64)}) {
    const auto& has = cpu_info().isa;
    if (std::find(has.begin(), has.end(), isa) != has.end()) spec.choices.emplace_back(std::int64_t{width});
  }
  spec.default_value = spec.choices.back();
  return spec;
}

ParameterSpec threads_parameter() {
  constexpr std::int64_t kMostThreads = 4096;
  ParameterSpec spec;
  spec.name = "threads";
  spec.summary = "threads, exactly; each reads its own share";
  spec.minimum = 1;
  spec.maximum = kMostThreads;
  spec.default_value = static_cast<std::int64_t>(cpu_info().cores);
  return spec;
}

}  // namespace

const Implementation& access() {
  static const SessionRow<AccessSession> row(
      [] {
        Description description;
        description.operation = "access";
        description.id = "cpu.access";
        description.device = Device::kCpu;
        description.summary = "every thread reads its share, and adds up what it has read";
        description.source = "McCalpin, STREAM, 1995";
        description.counterpart = "gpu.access";
        description.parameters = {width_parameter(), threads_parameter()};
        return description;
      }(),
      why_not_width);
  return row;
}

}  // namespace gemmlab::cpu
