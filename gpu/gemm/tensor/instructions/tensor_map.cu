#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "gpu/device/check.h"
#include "gpu/gemm/tensor/instructions/tensor_map.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {
namespace {

/// cuTensorMapEncodeTiled of the driver that is loaded, so that nothing is linked against it.
PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  GEMMLAB_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                      cudaEnableDefault, &found));
#else
  GEMMLAB_CUDA_CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess)
    throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

CUtensorMapDataType of_bytes(int element_bytes) {
  switch (element_bytes) {
    case 1:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 2:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  }
}

}  // namespace

CUtensorMap tensor_map(const void* parts, int element_bytes, int rows, int pitch, int box_rows, int step) {
  CUtensorMap map;
  const cuuint64_t lengths[] = {static_cast<cuuint64_t>(pitch), static_cast<cuuint64_t>(rows), kMostParts};
  const cuuint64_t row_bytes = static_cast<cuuint64_t>(element_bytes) * lengths[0];
  const cuuint64_t strides[] = {row_bytes, row_bytes * lengths[1]};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(step), static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t every[] = {1, 1, 1};
  const CUresult result =
      encoder()(&map, of_bytes(element_bytes), 3, const_cast<void*>(parts), lengths, strides, box, every,
                CU_TENSOR_MAP_INTERLEAVE_NONE,
                step * element_bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled answered " + std::to_string(result) + " for " +
                             std::to_string(rows) + " rows of " + std::to_string(pitch));
  }
  return map;
}

}  // namespace gemmlab::gpu::parts
