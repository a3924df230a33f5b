#include <stdexcept>

#include "submissions/callee/callee.h"

namespace gemmlab::submissions {

std::unique_ptr<CallBench> make_gpu_bench(const Rooms&, bool) {
  throw std::runtime_error("built without CUDA");
}

std::unique_ptr<Callable> make_gpu_empty() {
  throw std::runtime_error("built without CUDA");
}

}  // namespace gemmlab::submissions
