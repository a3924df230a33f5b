#include "emulator/runtime/tensor_map.h"

#include <cstring>

#include "emulator/include/cuda.h"
#include "emulator/include/cuda_runtime.h"
#include "emulator/runtime/calls/streams.h"

namespace gemmlab::emulation {
namespace {

int bytes_of(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      return 4;
  }
}

}  // namespace
}  // namespace gemmlab::emulation

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* lengths, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  using gemmlab::emulation::TensorMap;
  constexpr cuuint64_t kAlignment = 16, kMostStride = cuuint64_t{1} << 40, kMostLength = cuuint64_t{1} << 32;
  constexpr cuuint32_t kMostBox = 256;
  if (map == nullptr || rank < 1 || rank > gemmlab::emulation::kMostRank ||
      interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
      reinterpret_cast<std::uintptr_t>(address) % kAlignment != 0)
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap made = {};
  made.mark = TensorMap::kMark;
  made.element_bytes = static_cast<std::uint8_t>(gemmlab::emulation::bytes_of(type));
  made.rank = static_cast<std::uint8_t>(rank);
  made.swizzle = static_cast<std::uint8_t>(swizzle);
  made.address = static_cast<char*>(address);
  for (cuuint32_t d = 0; d < rank; ++d) {
    if (lengths[d] < 1 || lengths[d] > kMostLength || box[d] < 1 || box[d] > kMostBox ||
        element_strides[d] != 1)
      return CUDA_ERROR_INVALID_VALUE;
    made.lengths[d] = static_cast<std::uint32_t>(lengths[d]);
    made.box[d] = static_cast<std::uint16_t>(box[d]);
    if (d + 1 == rank) break;
    if (strides[d] % kAlignment != 0 || strides[d] >= kMostStride) return CUDA_ERROR_INVALID_VALUE;
    made.strides[d] = strides[d];
  }
  const cuuint32_t inner = box[0] * made.element_bytes;
  const cuuint32_t span = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? ~0u : 16u << swizzle;
  if (inner % kAlignment != 0 || inner > span) return CUDA_ERROR_INVALID_VALUE;
  *map = {};
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
  const bool is = std::strcmp(symbol, "cuTensorMapEncodeTiled") == 0;
  if (found != nullptr) *found = is ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  *function = is ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
  return is || found != nullptr ? cudaSuccess : gemmlab::emulation::noted(cudaErrorNotSupported);
}
