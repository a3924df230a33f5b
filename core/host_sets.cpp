#include "core/host_sets.h"

#include <algorithm>
#include <limits>

namespace gemmlab {

HostSets::HostSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
                   HostMemory memory, std::int64_t count)
    : contents_{shape, distribution, seed},
      count_(count),
      pools_(
          count * shape.a_count(), count * shape.b_count(), shape.c_count(),
          [&](std::int64_t elements) { return backend.allocate_host(elements, memory); },
          [&backend, memory](float* taken) { backend.release_host(taken, memory); }) {
  for (std::int64_t set = 0; set < count; ++set) restore(set);
  poison();
}

void HostSets::poison() {
  std::fill(c(), c() + contents_.shape.c_count(), std::numeric_limits<float>::quiet_NaN());
}

void HostSets::restore(std::int64_t set) {
  contents_.fill_a(a(set), set);
  contents_.fill_b(b(set));
}

}  // namespace gemmlab
