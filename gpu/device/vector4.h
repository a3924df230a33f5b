#pragma once

// float4 and float under the same names, so that a kernel is written once for operands at multiples of 16
// bytes and for those at any float.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

#ifdef __CUDACC__

template <typename Vector>
inline constexpr int kFloatsOf = sizeof(Vector) / sizeof(float);
/// How many times as many loads as with float4 a thread keeps in flight, for the memory to stay busy.
template <typename Vector>
inline constexpr int kMoreLoads = kFloatsOf<Vector> == 1 ? 2 : 1;

/// Past the L1 cache: nothing is read twice. Sees what other blocks of the kernel have stored.
template <typename Vector>
__device__ inline Vector load_once(const float* from, long long vector) {
  return __ldcg(reinterpret_cast<const Vector*>(from) + vector);
}
/// Of a matrix that the kernel never writes. Floats go through the L1 cache: the 128 bytes that a warp reads
/// at any float share a sector with the next 128, and past the L1 it would come from L2 twice.
template <typename Vector>
__device__ inline Vector load_matrix(const float* from, long long vector) {
  return load_once<Vector>(from, vector);
}
template <>
__device__ inline float load_matrix<float>(const float* from, long long element) {
  return __ldg(from + element);
}
template <typename Vector>
__device__ inline void store_once(float* to, long long vector, Vector value) {
  __stcg(reinterpret_cast<Vector*>(to) + vector, value);
}

template <typename Vector>
__device__ inline Vector zero_of();
template <>
__device__ inline float zero_of<float>() {
  return 0;
}
template <>
__device__ inline float4 zero_of<float4>() {
  return make_float4(0, 0, 0, 0);
}

/// x·y + z, element by element.
__device__ inline float multiply_add(float x, float y, float z) {
  return fmaf(x, y, z);
}
__device__ inline float4 multiply_add(float4 x, float4 y, float4 z) {
  return make_float4(fmaf(x.x, y.x, z.x), fmaf(x.y, y.y, z.y), fmaf(x.z, y.z, z.z), fmaf(x.w, y.w, z.w));
}
__device__ inline float4 multiply_add(float x, float4 y, float4 z) {
  return make_float4(fmaf(x, y.x, z.x), fmaf(x, y.y, z.y), fmaf(x, y.z, z.z), fmaf(x, y.w, z.w));
}

__device__ inline float added(float x, float y) {
  return x + y;
}
__device__ inline float4 added(float4 x, float4 y) {
  return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__device__ inline float sum_of(float x) {
  return x;
}
__device__ inline float sum_of(float4 x) {
  return (x.x + x.y) + (x.z + x.w);
}

#endif

}  // namespace gemmlab::gpu
