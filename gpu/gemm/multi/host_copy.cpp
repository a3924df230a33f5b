#include "gpu/gemm/multi/host_copy.h"

#include <stdexcept>

#include "gpu/check.h"
#include "gpu/stream.h"

namespace gemmlab::gpu {
namespace {

std::unique_ptr<HostBuffer> copy_of(const float* on_card, std::int64_t floats) {
  const std::int64_t bytes = static_cast<std::int64_t>(sizeof(float)) * floats;
  auto copy = std::make_unique<HostBuffer>(bytes, HostMemory::kPinned);
  GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(copy->data(), on_card, static_cast<std::size_t>(bytes),
                                     cudaMemcpyDeviceToHost, current_stream()));
  return copy;
}

}  // namespace

void HostCopies::stage(const Shape& shape, const std::vector<OperandPair>& pairs) {
  copies_.clear();
  for (const OperandPair& pair : pairs) {
    Copy& copy = copies_[{pair.a, pair.b}];
    if (copy.a) continue;
    copy.a = copy_of(pair.a, shape.a_count());
    copy.b = copy_of(pair.b, shape.b_count());
  }
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
}

OperandPair HostCopies::of(const float* a, const float* b) const {
  const auto found = copies_.find({a, b});
  if (found == copies_.end()) throw std::runtime_error("these operands have not been staged");
  return {static_cast<const float*>(found->second.a->data()),
          static_cast<const float*>(found->second.b->data())};
}

}  // namespace gemmlab::gpu
