#include "gpu/libraries/cublasmp.h"

#include <stdexcept>

#include "gpu/libraries/cublasmp_library.h"

namespace gemmlab::gpu {
namespace {

// From the library's published interface, which keeps its numbers.
constexpr int kSuccess = 0;
constexpr int kColumnMajorGrid = 0;
constexpr int kFloat32 = 0;            // CUDA_R_32F
constexpr int kComputeInFloat32 = 68;  // CUBLAS_COMPUTE_32F: no TF32
constexpr int kNotTransposed = 0;      // CUBLAS_OP_N
constexpr int kTransposeA = 0;
constexpr int kTransposeB = 1;
constexpr int kFirstOfSeveralCards = 1000;  // 0.10.0

constexpr const char* kWords[] = {"success",        "not initialized",       "allocation failed",
                                  "invalid value",  "architecture mismatch", "execution failed",
                                  "internal error", "not supported"};

constexpr float kOne = 1;
constexpr float kZero = 0;

}  // namespace

CublasMp::CublasMp(const DynamicLibrary& library) : library_(library) {
  if (!library_.found()) why_not_ = "cuBLASMp could not be opened (" + library_.why() + ")";
  const auto take = [&](auto& function, const char* name) {
    library_.take(function, name, "cuBLASMp that can be used", why_not_);
  };
  take(get_version_, "cublasMpGetVersion");
  int number = 0;
  if (get_version_ != nullptr && get_version_(&number) == kSuccess && number < kFirstOfSeveralCards)
    why_not_ = library_.path() + " is cuBLASMp " + library_version(number) +
               ", and one program can use several cards since 0.10";
  take(create_, "cublasMpCreate");
  take(destroy_, "cublasMpDestroy");
  take(grid_create_, "cublasMpGridCreate");
  take(grid_destroy_, "cublasMpGridDestroy");
  take(matrix_create_, "cublasMpMatrixDescriptorCreate");
  take(matrix_destroy_, "cublasMpMatrixDescriptorDestroy");
  take(product_create_, "cublasMpMatmulDescriptorCreate");
  take(product_destroy_, "cublasMpMatmulDescriptorDestroy");
  take(product_set_, "cublasMpMatmulDescriptorSetAttribute");
  take(allocate_, "cublasMpMalloc");
  take(release_, "cublasMpFree");
  take(workspace_, "cublasMpMatmul_bufferSize");
  take(multiply_, "cublasMpMatmul");
}

void CublasMp::check(int status, const char* call) const {
  if (status == kSuccess) return;
  const bool known = status > 0 && status < static_cast<int>(std::size(kWords));
  throw std::runtime_error(std::string(call) + " answered " + std::to_string(status) + " (" +
                           (known ? kWords[status] : "unknown") + ")");
}

std::string CublasMp::version() const {
  int number = 0;
  check(get_version_(&number), "cublasMpGetVersion");
  return library_version(number);
}

CublasMp::Pointer CublasMp::create(cudaStream_t stream) const {
  Pointer handle = nullptr;
  check(create_(&handle, stream), "cublasMpCreate");
  return handle;
}

CublasMp::Pointer CublasMp::create_grid(std::int64_t rows, std::int64_t cols, Nccl::Communicator card) const {
  Pointer grid = nullptr;
  check(grid_create_(rows, cols, kColumnMajorGrid, card, &grid), "cublasMpGridCreate");
  return grid;
}

CublasMp::Pointer CublasMp::create_matrix(const MpMatrix& matrix, Pointer grid) const {
  Pointer made = nullptr;
  check(matrix_create_(matrix.rows, matrix.cols, matrix.block_rows, matrix.block_cols, 0, 0, matrix.stride,
                       kFloat32, grid, &made),
        "cublasMpMatrixDescriptorCreate");
  return made;
}

CublasMp::Pointer CublasMp::create_product() const {
  Pointer product = nullptr;
  check(product_create_(&product, kComputeInFloat32), "cublasMpMatmulDescriptorCreate");
  for (const int which : {kTransposeA, kTransposeB})
    check(product_set_(product, which, &kNotTransposed, sizeof(kNotTransposed)),
          "cublasMpMatmulDescriptorSetAttribute");
  return product;
}

void* CublasMp::allocate(Pointer grid, std::size_t bytes) const {
  void* memory = nullptr;
  check(allocate_(grid, &memory, bytes), "cublasMpMalloc");
  return memory;
}

CublasMp::Workspace CublasMp::workspace(const Call& call) const {
  Workspace bytes;
  check(workspace_(call.handle, call.product, call.m, call.n, call.k, &kOne, call.a, 1, 1, call.a_matrix,
                   call.b, 1, 1, call.b_matrix, &kZero, call.d, 1, 1, call.d_matrix, call.d, 1, 1,
                   call.d_matrix, &bytes.device_bytes, &bytes.host_bytes),
        "cublasMpMatmul_bufferSize");
  return bytes;
}

void CublasMp::multiply(const Call& call, const Workspace& bytes, void* device, void* host) const {
  check(multiply_(call.handle, call.product, call.m, call.n, call.k, &kOne, call.a, 1, 1, call.a_matrix,
                  call.b, 1, 1, call.b_matrix, &kZero, call.d, 1, 1, call.d_matrix, call.d, 1, 1,
                  call.d_matrix, device, bytes.device_bytes, host, bytes.host_bytes),
        "cublasMpMatmul");
}

const CublasMp& cublasmp_calls() {
  static const CublasMp library(cublasmp_library());
  return library;
}

}  // namespace gemmlab::gpu
