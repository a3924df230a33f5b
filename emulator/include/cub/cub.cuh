#pragma once

// CUB as far as a warp and a block go: reductions, prefix sums, loads, stores, exchanges. Of what works on
// the whole device, DeviceReduce alone.

#include <algorithm>

#include "../cuda_runtime.h"

namespace cub {

struct Sum {
  template <typename T>
  GEMMLAB_DEVICE T operator()(T x, T y) const {
    return x + y;
  }
};
struct Max {
  template <typename T>
  GEMMLAB_DEVICE T operator()(T x, T y) const {
    return x < y ? y : x;
  }
};
struct Min {
  template <typename T>
  GEMMLAB_DEVICE T operator()(T x, T y) const {
    return y < x ? y : x;
  }
};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

namespace detail {

GEMMLAB_DEVICE int linear_thread() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}
constexpr int kWarp = 32;

/// The lanes of a group of WIDTH, which need not be a power of two.
template <int WIDTH>
struct Lanes {
  static constexpr bool kPower = (WIDTH & (WIDTH - 1)) == 0;
  static_assert(WIDTH >= 1 && WIDTH <= kWarp, "a warp of cub has 1 to 32 threads");
  GEMMLAB_DEVICE static int first() { return kPower ? linear_thread() % kWarp / WIDTH * WIDTH : 0; }
  GEMMLAB_DEVICE static int own() { return linear_thread() % kWarp - first(); }
  GEMMLAB_DEVICE static unsigned mask() { return (~0U >> (kWarp - WIDTH)) << first(); }
};

/// By shuffles of 4 bytes.
template <typename T>
GEMMLAB_DEVICE T from_lane(unsigned mask, const T& value, int lane) {
  constexpr std::size_t kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  std::memcpy(words, &value, sizeof value);
  for (unsigned& word : words) word = __shfl_sync(mask, word, lane);
  T result = value;
  std::memcpy(static_cast<void*>(&result), words, sizeof result);
  return result;
}

/// Each lane gets what the lanes of its group up to and with it come to.
template <int WIDTH, typename T, typename Operation>
GEMMLAB_DEVICE T scanned(T value, Operation operation) {
  using Of = Lanes<WIDTH>;
  for (int distance = 1; distance < WIDTH; distance *= 2) {
    const int lane = Of::own() - distance;
    const T other = from_lane(Of::mask(), value, Of::first() + (lane < 0 ? Of::own() : lane));
    if (lane >= 0) value = operation(other, value);
  }
  return value;
}

/// The first lane gets what the first `valid` lanes come to.
template <int WIDTH, typename T, typename Operation>
GEMMLAB_DEVICE T reduced(T value, int valid, Operation operation) {
  using Of = Lanes<WIDTH>;
  for (int distance = 1; distance < WIDTH; distance *= 2) {
    const int lane = Of::own() + distance;
    const T other = from_lane(Of::mask(), value, Of::first() + (lane < WIDTH ? lane : Of::own()));
    if (lane < valid && Of::own() % (2 * distance) == 0) value = operation(value, other);
  }
  return value;
}

}  // namespace detail

template <typename T, int WIDTH = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage {};
  GEMMLAB_DEVICE explicit WarpReduce(TempStorage&) {}
  template <typename Operation>
  GEMMLAB_DEVICE T Reduce(T value, Operation operation, int valid = WIDTH) {
    return detail::reduced<WIDTH>(value, valid, operation);
  }
  GEMMLAB_DEVICE T Sum(T value, int valid = WIDTH) { return Reduce(value, ::cub::Sum(), valid); }
};

template <typename T, int WIDTH = 32, int = 0>
class WarpScan {
 public:
  struct TempStorage {};
  GEMMLAB_DEVICE explicit WarpScan(TempStorage&) {}
  template <typename Operation>
  GEMMLAB_DEVICE void InclusiveScan(T value, T& result, Operation operation) {
    result = detail::scanned<WIDTH>(value, operation);
  }
  template <typename Operation>
  GEMMLAB_DEVICE void ExclusiveScan(T value, T& result, T initial, Operation operation) {
    using Of = detail::Lanes<WIDTH>;
    const T up_to = detail::scanned<WIDTH>(value, operation);
    const int before = Of::own() > 0 ? Of::own() - 1 : 0;
    const T others = detail::from_lane(Of::mask(), up_to, Of::first() + before);
    result = Of::own() == 0 ? initial : operation(initial, others);
  }
  GEMMLAB_DEVICE void InclusiveSum(T value, T& result) { InclusiveScan(value, result, ::cub::Sum()); }
  GEMMLAB_DEVICE void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(), ::cub::Sum()); }
};

/// Thread 0 gets the result. Temporary storage may be used again behind a __syncthreads. One barrier and no shuffles: here threads that
/// wait for one another are what costs.
template <typename T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
class BlockReduce {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage {
    T of_thread[kThreads];
  };
  GEMMLAB_DEVICE explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <typename Operation>
  GEMMLAB_DEVICE T Reduce(T value, Operation operation, int valid = kThreads) {
    const int thread = detail::linear_thread();
    storage_.of_thread[thread] = value;
    __syncthreads();
    for (int other = 1; thread == 0 && other < valid; ++other)
      value = operation(value, storage_.of_thread[other]);
    return value;
  }
  template <int ITEMS, typename Operation>
  GEMMLAB_DEVICE T Reduce(T (&values)[ITEMS], Operation operation) {
    T all = values[0];
    for (int i = 1; i < ITEMS; ++i) all = operation(all, values[i]);
    return Reduce(all, operation);
  }
  GEMMLAB_DEVICE T Sum(T value, int valid = kThreads) { return Reduce(value, ::cub::Sum(), valid); }
  template <int ITEMS>
  GEMMLAB_DEVICE T Sum(T (&values)[ITEMS]) {
    return Reduce(values, ::cub::Sum());
  }

 private:
  TempStorage& storage_;
};

template <typename T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage {
    T of_thread[kThreads];
  };
  GEMMLAB_DEVICE explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  template <typename Operation>
  GEMMLAB_DEVICE void InclusiveScan(T value, T& result, Operation operation, T& all) {
    const int thread = detail::linear_thread();
    storage_.of_thread[thread] = value;
    __syncthreads();
    T sum = storage_.of_thread[0];
    all = sum;
    for (int i = 1; i < kThreads; ++i) {
      all = operation(all, storage_.of_thread[i]);
      if (i <= thread) sum = all;
    }
    result = sum;
  }
  template <typename Operation>
  GEMMLAB_DEVICE void InclusiveScan(T value, T& result, Operation operation) {
    T all;
    InclusiveScan(value, result, operation, all);
  }
  template <typename Operation>
  GEMMLAB_DEVICE void ExclusiveScan(T value, T& result, T initial, Operation operation, T& all) {
    const int thread = detail::linear_thread();
    storage_.of_thread[thread] = value;
    __syncthreads();
    T sum = initial;
    T before = initial;
    for (int i = 0; i < kThreads; ++i) {
      if (i == thread) before = sum;
      sum = operation(sum, storage_.of_thread[i]);
    }
    all = sum;
    result = before;
  }
  template <typename Operation>
  GEMMLAB_DEVICE void ExclusiveScan(T value, T& result, T initial, Operation operation) {
    T all;
    ExclusiveScan(value, result, initial, operation, all);
  }
  GEMMLAB_DEVICE void InclusiveSum(T value, T& result) { InclusiveScan(value, result, ::cub::Sum()); }
  GEMMLAB_DEVICE void InclusiveSum(T value, T& result, T& all) {
    InclusiveScan(value, result, ::cub::Sum(), all);
  }
  GEMMLAB_DEVICE void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(), ::cub::Sum()); }
  GEMMLAB_DEVICE void ExclusiveSum(T value, T& result, T& all) {
    ExclusiveScan(value, result, T(), ::cub::Sum(), all);
  }

 private:
  TempStorage& storage_;
};

/// As cub has it: the first call, without storage, says how much is needed. Parts by one block, which one thread adds up.
class DeviceReduce {
  static constexpr int kThreads = 256;

 public:
  template <typename From, typename To, typename Count, typename Operation, typename T>
  static cudaError_t Reduce(void* storage, std::size_t& bytes, From from, To to, Count count,
                            Operation operation, T initial, cudaStream_t stream = nullptr,
                            int line = __builtin_LINE()) {
    if (storage == nullptr) {
      bytes = kThreads * sizeof(T);
      return cudaSuccess;
    }
    if (bytes < kThreads * sizeof(T)) return cudaErrorInvalidValue;
    T* const parts = static_cast<T*>(storage);
    using ::gemmlab::emulation::Configuration;
    ::gemmlab::emulation::launch_kernel({line, "cub::DeviceReduce"},
                                        Configuration(dim3(1), dim3(kThreads), 0, stream),
                                        std::make_tuple(from, parts), [=](auto& all_from, T* all_parts) {
                                          Operation both = operation;
                                          Count i = threadIdx.x;
                                          if (i >= count) return;
                                          T all = all_from[i];
                                          for (i += kThreads; i < count; i += kThreads)
                                            all = both(all, all_from[i]);
                                          all_parts[threadIdx.x] = all;
                                        });
    ::gemmlab::emulation::launch_kernel({line, "cub::DeviceReduce"},
                                        Configuration(dim3(1), dim3(1), 0, stream),
                                        std::make_tuple(parts, to), [=](T* all_parts, auto& result) {
                                          Operation both = operation;
                                          T all = initial;
                                          for (Count i = 0; i < count && i < kThreads; ++i)
                                            all = both(all, all_parts[i]);
                                          *result = all;
                                        });
    return cudaPeekAtLastError();
  }
  template <typename From, typename To, typename Count>
  static cudaError_t Sum(void* storage, std::size_t& bytes, From from, To to, Count count,
                         cudaStream_t stream = nullptr, int line = __builtin_LINE()) {
    return Reduce(storage, bytes, from, to, count, ::cub::Sum(), std::decay_t<decltype(*to)>(), stream, line);
  }
};

/// A thread gets ITEMS neighbours, however they are fetched; striped: every X-th.
template <typename T, int X, int ITEMS, BlockLoadAlgorithm HOW = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockLoad {
 public:
  struct TempStorage {};
  BlockLoad() = default;
  GEMMLAB_DEVICE explicit BlockLoad(TempStorage&) {}
  template <typename From>
  GEMMLAB_DEVICE void Load(From from, T (&items)[ITEMS]) {
    for (int i = 0; i < ITEMS; ++i) items[i] = from[place(i)];
  }
  template <typename From>
  GEMMLAB_DEVICE void Load(From from, T (&items)[ITEMS], int valid) {
    for (int i = 0; i < ITEMS; ++i) {
      if (place(i) < valid) items[i] = from[place(i)];
    }
  }
  template <typename From, typename Default>
  GEMMLAB_DEVICE void Load(From from, T (&items)[ITEMS], int valid, Default otherwise) {
    for (int i = 0; i < ITEMS; ++i)
      items[i] = place(i) < valid ? static_cast<T>(from[place(i)]) : static_cast<T>(otherwise);
  }

 private:
  GEMMLAB_DEVICE static int place(int i) {
    return HOW == BLOCK_LOAD_STRIPED ? i * X * Y * Z + detail::linear_thread()
                                     : detail::linear_thread() * ITEMS + i;
  }
};

template <typename T, int X, int ITEMS, BlockStoreAlgorithm HOW = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockStore {
 public:
  struct TempStorage {};
  BlockStore() = default;
  GEMMLAB_DEVICE explicit BlockStore(TempStorage&) {}
  template <typename To>
  GEMMLAB_DEVICE void Store(To to, T (&items)[ITEMS]) {
    for (int i = 0; i < ITEMS; ++i) to[place(i)] = items[i];
  }
  template <typename To>
  GEMMLAB_DEVICE void Store(To to, T (&items)[ITEMS], int valid) {
    for (int i = 0; i < ITEMS; ++i) {
      if (place(i) < valid) to[place(i)] = items[i];
    }
  }

 private:
  GEMMLAB_DEVICE static int place(int i) {
    return HOW == BLOCK_STORE_STRIPED ? i * X * Y * Z + detail::linear_thread()
                                      : detail::linear_thread() * ITEMS + i;
  }
};

}  // namespace cub
