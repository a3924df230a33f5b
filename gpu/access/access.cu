// Reading global memory: by loads of 1 to 16 bytes, at an offset, with a stride, through the L1 or past it,
// and with as many threads on an SM as wanted.

#include "core/session_row.h"
#include "gpu/access/grid.h"
#include "gpu/access/kernel.h"
#include "gpu/describe.h"
#include "gpu/device/resources.h"
#include "gpu/table.h"
#include "operations/access/access.h"

namespace gemmlab::gpu {
namespace {

using accessing::Grid;
using accessing::Work;
using gemmlab::accessing::kTotal;
using gemmlab::accessing::kValues;
using gemmlab::accessing::Pattern;
using ReadKernel = void (*)(Work, accessing::Tally, unsigned long long*);

constexpr int kElement = sizeof(std::int32_t);

template <bool kNear, bool kHeldDown>
ReadKernel of_width(std::int64_t width) {
  switch (width) {
    case 1:
      return accessing::read<1, kNear, kHeldDown>;
    case 2:
      return accessing::read<2, kNear, kHeldDown>;
    case 4:
      return accessing::read<4, kNear, kHeldDown>;
    case 8:
      return accessing::read<8, kNear, kHeldDown>;
    default:
      return accessing::read<16, kNear, kHeldDown>;
  }
}

ReadKernel kernel_of(const Parameters& parameters) {
  const std::int64_t width = integer(parameters, "width");
  const bool near = text(parameters, "path") == "l1";
  if (integer(parameters, "blocks_per_sm") > 0)
    return near ? of_width<true, true>(width) : of_width<false, true>(width);
  return near ? of_width<true, false>(width) : of_width<false, false>(width);
}

/// An element's lowest bytes hold all of it: with a stride, a narrow load reads these alone.
Work work_of(const Pattern& pattern, std::int64_t width, const std::int32_t* values) {
  const std::int32_t* first = values + pattern.offset;
  Work work{reinterpret_cast<const char*>(first), pattern.n, pattern.stride * kElement, nullptr, 0,
            static_cast<int>(pattern.passes)};
  if (pattern.stride == 1) {
    work.loads = pattern.n * kElement / width;
    work.step = width;
    const std::int64_t whole = work.loads * width / kElement;
    work.tail = reinterpret_cast<const unsigned*>(first + whole);
    work.tail_count = static_cast<int>(pattern.n - whole);
  }
  return work;
}

class AccessSession : public Session {
 public:
  static constexpr bool kResident = false;

  AccessSession(const Instance& instance, const Parameters& parameters)
      : pattern_(gemmlab::accessing::pattern_of(instance)),
        width_(integer(parameters, "width")),
        kernel_(kernel_of(parameters)),
        grid_(accessing::grid_of(reinterpret_cast<const void*>(kernel_),
                                 static_cast<int>(integer(parameters, "blocks_per_sm")))) {}

  void run(const Operands& operands) override {
    launch(kernel_, grid_.blocks, dim3(accessing::kThreads), grid_.shared_bytes,
           work_of(pattern_, width_, operands.in<std::int32_t>(kValues)), tally_.device(),
           operands.out<unsigned long long>(kTotal));
  }
  Facts chosen() const override {
    return {{"threads_per_block", std::int64_t{accessing::kThreads}}, {"load_bytes", width_}};
  }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(kernel_), accessing::kThreads, grid_.shared_bytes);
  }

 private:
  Pattern pattern_;
  std::int64_t width_;
  ReadKernel kernel_;
  Grid grid_;
  accessing::TallyMemory tally_;
};

std::string why_not_width(const Instance& instance, const Parameters& parameters) {
  return gemmlab::accessing::why_not_width(gemmlab::accessing::pattern_of(instance),
                                           integer(parameters, "width"), true);
}

}  // namespace

const Implementation& access() {
  static const SessionRow<AccessSession> row(
      describe(
          {.id = "gpu.access",
           .name = "access, {width} bytes",
           .summary = "all threads read, each 4 loads in flight, and add up what they have read",
           .source = "CUDA C++ Best Practices Guide, coalesced access",
           .counterpart = "cpu.access",
           .parameters = {choice("width", "bytes per load and thread",
                                 {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8},
                                  std::int64_t{16}},
                                 std::int64_t{4}),
                          choice("path", "cached in the L1, or in the L2 alone",
                                 {std::string("l1"), std::string("l2")}, std::string("l1"), ", path {path}"),
                          accessing::blocks_parameter()},
           .operation = "access"}),
      why_not_width, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
