#pragma once

// cuBLASMp's product of matrices that lie on several cards. Opened at run time; declared here from its published interface.

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "gpu/device/dynamic_library.h"
#include "gpu/libraries/nccl.h"

namespace gemmlab::gpu {

/// A matrix by columns as the library sees it: its blocks go round the rows and columns of a grid of cards.
struct MpMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t block_rows = 0;
  std::int64_t block_cols = 0;
  std::int64_t stride = 0;  ///< from one column to the next of the card's own part
};

class CublasMp {
 public:
  using Pointer = void*;  ///< to one of the library's own objects

  /// Of the functions that the library has. It outlives this.
  explicit CublasMp(const DynamicLibrary& library);

  /// Why it cannot be used: it could not be opened, lacks a function, or is of before 0.10, when one program could not use several cards;
  /// empty where it can.
  const std::string& why_not() const { return why_not_; }
  const std::string& path() const { return library_.path(); }
  std::string version() const;  ///< "0.10.0"

  // Each throws std::runtime_error with the call and the library's words where it answers anything but success. All cards call
  // them at once, each in a thread of its own; what `destroy_…` answers is not looked at.
  Pointer create(cudaStream_t stream) const;
  Pointer create_grid(std::int64_t rows, std::int64_t cols, Nccl::Communicator card) const;
  Pointer create_matrix(const MpMatrix& matrix, Pointer grid) const;
  /// Of float32 operands in float32's arithmetic, neither of them transposed.
  Pointer create_product() const;
  void* allocate(Pointer grid,
                 std::size_t bytes) const;  ///< memory that the cards of a grid see of each other
  void destroy(Pointer handle) const { destroy_(handle); }
  void destroy_grid(Pointer grid) const { grid_destroy_(grid); }
  void destroy_matrix(Pointer matrix) const { matrix_destroy_(matrix); }
  void destroy_product(Pointer product) const { product_destroy_(product); }
  void release(Pointer grid, void* memory) const { release_(grid, memory); }

  /// D = A·B of m×k and k×n, by columns.
  struct Call {
    Pointer handle = nullptr;
    Pointer product = nullptr;
    std::int64_t m = 0, n = 0, k = 0;
    const float* a = nullptr;
    Pointer a_matrix = nullptr;
    const float* b = nullptr;
    Pointer b_matrix = nullptr;
    float* d = nullptr;
    Pointer d_matrix = nullptr;
  };
  struct Workspace {
    std::size_t device_bytes = 0;
    std::size_t host_bytes = 0;
  };
  Workspace workspace(const Call& call) const;
  /// Asks for it in the handle's stream.
  void multiply(const Call& call, const Workspace& bytes, void* device, void* host) const;

 private:
  void check(int status, const char* call) const;

  const DynamicLibrary& library_;
  std::string why_not_;
  int (*get_version_)(int*);
  int (*create_)(void**, cudaStream_t);
  int (*destroy_)(void*);
  int (*grid_create_)(std::int64_t, std::int64_t, int, void*, void**);
  int (*grid_destroy_)(void*);
  int (*matrix_create_)(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                        std::int64_t, int, void*, void**);
  int (*matrix_destroy_)(void*);
  int (*product_create_)(void**, int);
  int (*product_destroy_)(void*);
  int (*product_set_)(void*, int, const void*, std::size_t);
  int (*allocate_)(void*, void**, std::size_t);
  int (*release_)(void*, void*);
  int (*workspace_)(void*, void*, std::int64_t, std::int64_t, std::int64_t, const void*, const void*,
                    std::int64_t, std::int64_t, void*, const void*, std::int64_t, std::int64_t, void*,
                    const void*, const void*, std::int64_t, std::int64_t, void*, void*, std::int64_t,
                    std::int64_t, void*, std::size_t*, std::size_t*);
  int (*multiply_)(void*, void*, std::int64_t, std::int64_t, std::int64_t, const void*, const void*,
                   std::int64_t, std::int64_t, void*, const void*, std::int64_t, std::int64_t, void*,
                   const void*, const void*, std::int64_t, std::int64_t, void*, void*, std::int64_t,
                   std::int64_t, void*, void*, std::size_t, void*, std::size_t);
};

/// That of cublasmp_library().
const CublasMp& cublasmp_calls();

}  // namespace gemmlab::gpu
