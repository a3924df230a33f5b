#pragma once

// The process that measures. If it dies, its one point is lost and the run goes on.

#include "runner/catalogue.h"

namespace gemmlab::runner {

/// Exit status of a worker that asks to be replaced: its GPU context is lost.
inline constexpr int kReplaceMe = 75;

/// The variable that makes a worker run the GPU's rows by emulation, instead of all that it has.
inline constexpr const char* kEmulates = "GEMMLAB_WORKER_EMULATES";

/// The worker process: reads requests from `in`, answers on `out`, says where it is on the page behind
/// `page`. Requests: {"do":"facts"}, {"do":"limits",...}, {"do":"group",...},
/// {"do":"first_call",...}. Returns the exit status.
int worker_main(const Catalogue& catalogue, int in, int out, int page);

}  // namespace gemmlab::runner
