// Reading memory: by loads of 1 to 64 bytes, at an offset, with a stride, by one thread or by all cores. A
// thread has the same share in each pass, so that what it reads again may lie in the caches of its core.

#include "operations/access/access.h"

#include <omp.h>

#include <algorithm>

#include "core/machine/machine.h"
#include "core/session_row.h"
#include "cpu/access/sums.h"
#include "cpu/device/variants.h"

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
  std::vector<ParameterValue> widths = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8},
                                        std::int64_t{16}};
  if (machine_has("avx2")) widths.emplace_back(std::int64_t{32});
  if (machine_has("avx512")) widths.emplace_back(std::int64_t{64});
  return choice("width", "bytes per load", widths, widths.back());
}

}  // namespace

const Implementation& access() {
  static const SessionRow<AccessSession> row(
      {.id = "cpu.access",
       .name = "access, {width} bytes",
       .summary = "every thread reads its share, and adds up what it has read",
       .source = "McCalpin, STREAM, 1995",
       .counterpart = "gpu.access",
       .parameters = {width_parameter(), threads_parameter("threads, exactly; each reads its own share")},
       .operation = "access"},
      why_not_width);
  return row;
}

}  // namespace gemmlab::cpu
