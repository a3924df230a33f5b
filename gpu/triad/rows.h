#pragma once

// THE list of triad's GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here.

#define GEMMLAB_GPU_TRIAD(ROW) ROW(triad) ROW(triad_tuned)
