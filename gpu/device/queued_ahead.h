#pragma once

// Work that is given to a stream ahead of what it has done, so that the card never waits for the host.

#include <cuda_runtime.h>

#include <deque>
#include <functional>
#include <vector>

namespace gemmlab::gpu {

/// Events on one stream, each timed from the one before it.
class Ahead {
 public:
  explicit Ahead(cudaStream_t stream) : stream_(stream) {}
  ~Ahead();
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  /// Launches row after row of work. Each row's seconds, from the end of the row before it by the card's clock,
  /// go to `took` once it has run, until that says that it was the last; then those of the rows that were
  /// launched by then.
  void run(const std::function<void()>& launch, const std::function<bool(double seconds)>& took);

 private:
  void mark();
  double oldest_s();
  std::size_t waiting() const { return marks_.size() - 1; }

  cudaStream_t stream_;
  std::deque<cudaEvent_t> marks_;   ///< recorded, the oldest first: the end of the last row that was told of
  std::vector<cudaEvent_t> spare_;  ///< for marks to come
};

}  // namespace gemmlab::gpu
