#include <fmt/format.h>

#include <algorithm>

#include "submissions/judge/explaining/advice.h"
#include "submissions/solve_shape.h"

// Thresholds lie between what the suite's own rungs count at 4096³ on an NVIDIA H200 (the records of
// gpu_ladder): sectors per request 2.5 to 4 for coalesced single floats, 8 to 32 otherwise; operations per
// byte of L2 7 for naive and for 32×32 tiles, 34 for 8×8 register tiles; instructions per multiply-add 3.1
// for 32×32 tiles, 1.1 for register tiles; bank conflicts per instruction 0.0001, and 0.2 to 10 where
// planted; use of the FMA pipe 0.13, 0.56, and 0.79 for cuBLAS.

namespace gemmlab::submissions {
namespace {

constexpr double kManySectors = 4.5;
constexpr double kIdlePipe = 0.3;
constexpr double kBusyPipe = 0.7;
constexpr double kConflicting = 0.1;
constexpr double kLittleReuse = 12;
constexpr double kManyInstructions = 2;
constexpr double kWarp = 32;

class Reading {
 public:
  explicit Reading(const Counters& counters) : counters_(counters) {}

  /// `fallback` where it was not counted.
  double of(const std::string& name, double fallback) const {
    const auto found = counters_.values.find(name);
    return found == counters_.values.end() ? fallback : found->second.value;
  }

 private:
  const Counters& counters_;
};

}  // namespace

std::vector<Advice> advice_from(const Counters& counters) {
  std::vector<Advice> advice;
  if (counters.values.empty()) return advice;
  const Reading read(counters);
  const Shape& shape = counters.shape;
  const double pipe = read.of("fma_pipe", 0);
  // 16-byte loads take 16 sectors per request and are fine: then the pipe is busy
  const double sectors =
      std::max(read.of("global_load_sectors_per_request", 0), read.of("global_store_sectors_per_request", 0));
  if (sectors > kManySectors && pipe < kIdlePipe)
    advice.push_back({"Accesses are not coalesced",
                      fmt::format("A warp's load or store touches {:.3g} sectors of 32 bytes; 4 would do for "
                                  "32 neighbouring floats. Let threadIdx.x run along the columns of B and C.",
                                  sectors)});
  const double instructions = read.of("instructions", 0);
  const double conflicts =
      read.of("shared_load_bank_conflicts", 0) + read.of("shared_store_bank_conflicts", 0);
  if (instructions > 0 && conflicts > kConflicting * instructions)
    advice.push_back(
        {"Bank conflicts in shared memory",
         fmt::format(
             "{:.2g} conflicts for each instruction: threads of a warp want different words of one bank, and "
             "wait for each other. Read along rows, or pad the rows of the shared array by one element.",
             conflicts / instructions)});
  const double l2_bytes = read.of("l2_bytes", 0);
  if (l2_bytes > 0 && shape.flop() / l2_bytes < kLittleReuse)
    advice.push_back(
        {"Each byte is used little before it is fetched again",
         fmt::format("{:.2g} operations for each byte that passes the L2 cache at {}. Larger tiles of C a "
                     "block, kept in shared memory and registers, use each byte more often.",
                     shape.flop() / l2_bytes, in_students_words(shape))});
  const double each = instructions * kWarp / (shape.flop() / 2);
  if (each > kManyInstructions)
    advice.push_back({"Most instructions do not multiply",
                      fmt::format("{:.1f} instructions for each multiply-add. A tile of C in each thread's "
                                  "registers uses every float loaded from shared memory several times.",
                                  each)});
  if (pipe >= kBusyPipe)
    advice.push_back({"Close to what the card can multiply",
                      fmt::format("The multiply-add units are busy {:.0f} % of the time.", 100 * pipe)});
  return advice;
}

}  // namespace gemmlab::submissions
