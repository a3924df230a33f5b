#pragma once

// Reads from the source which threads a hand-in wants to use.

#include "submissions/build/build.h"

namespace gemmlab::submissions {

/// Which threads a submission's source asks for. A comment that speaks of them counts too.
struct AskedThreads {
  bool openmp = false;
  bool own = false;  ///< std::thread, pthread_create and the like

  bool any() const { return openmp || own; }
};

AskedThreads asked_threads(const Submission& submission);

}  // namespace gemmlab::submissions
