#pragma once

// Included only by files that are compiled with OpenMP.

#include <cstdint>

#include "operations/gemm/verify_parts.h"

namespace gemmlab {

/// meet_row(worst, row) for every row, shared out among the threads.
template <typename MeetRow>
Worst over_rows(std::int64_t rows, std::int64_t cols, MeetRow&& meet_row) {
  Worst worst;
#pragma omp parallel if (rows * cols > kWorthThreads)
  {
    Worst mine;
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 0; row < rows; ++row) meet_row(mine, row);
#pragma omp critical(gemmlab_over_rows)
    worst.merge(mine);
  }
  return worst;
}

}  // namespace gemmlab
