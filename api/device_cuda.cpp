// device.h on CUDA's runtime. This library is linked with --wrap=cudaMalloc,--wrap=cudaFree: what sessions take for
// themselves (gpu/device/device.h, DeviceMemory) comes from where their handle says, and no session knows of it.

#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "api/device.h"
#include "core/rounding.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/gemm/bias.h"

extern "C" {
cudaError_t __real_cudaMalloc(void** memory, std::size_t bytes);
cudaError_t __real_cudaFree(void* memory);
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes);
cudaError_t __wrap_cudaFree(void* memory);
}

namespace gemmlab::api {

using gpu::DeviceMemory;
namespace {

constexpr std::size_t kPiece = 256;  // cudaMalloc's alignment

thread_local Placement* placement = nullptr;

/// Memory of callers of the interface, which is not ours to free.
class LentRanges {
 public:
  void add(const char* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    ranges_.push_back({begin, begin + bytes});
  }
  void remove(const char* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& one) {
      return one.begin == begin && one.end == begin + bytes;
    });
    if (found != ranges_.end()) ranges_.erase(found);
  }
  bool holds(const void* memory) {
    const std::lock_guard lock(mutex_);
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const Range& one) { return one.begin <= memory && memory < one.end; });
  }

 private:
  struct Range {
    const char* begin;
    const char* end;
  };
  std::mutex mutex_;
  std::vector<Range> ranges_;
};

LentRanges& lent_ranges() {
  static LentRanges ranges;
  return ranges;
}

using Held = std::shared_ptr<void>;

std::mutex& released_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::vector<Held>& released() {
  static std::vector<Held> all;
  return all;
}

/// On a thread of CUDA's, which may call nothing of it.
void graph_has_ended(void* held) {
  const std::unique_ptr<Held> one(static_cast<Held*>(held));
  const std::lock_guard lock(released_mutex());
  released().push_back(std::move(*one));
}

cudaGraph_t graph_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  GEMMLAB_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr));
#else
  GEMMLAB_CUDA_CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr));
#endif
  return graph;
}

}  // namespace

int current_device() {
  int device = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

RelaxedCapture::RelaxedCapture() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  GEMMLAB_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  before_ = mode;
}

RelaxedCapture::~RelaxedCapture() {
  auto mode = static_cast<cudaStreamCaptureMode>(before_);
  cudaThreadExchangeStreamCaptureMode(&mode);
}

bool is_captured(void* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  GEMMLAB_CUDA_CHECK(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status));
  return status != cudaStreamCaptureStatusNone;
}

void held_by_graph(void* stream, std::shared_ptr<void> what) {
  const cudaGraph_t graph = graph_of(static_cast<cudaStream_t>(stream));
  auto held = std::make_unique<Held>(std::move(what));
  cudaUserObject_t object = nullptr;
  GEMMLAB_CUDA_CHECK(
      cudaUserObjectCreate(&object, held.get(), graph_has_ended, 1, cudaUserObjectNoDestructorSync));
  held.release();  // the object's from here on
  GEMMLAB_CUDA_CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
}

void release_of_graphs() {
  std::vector<Held> gone;
  const std::lock_guard lock(released_mutex());
  gone.swap(released());
}

void* side_stream() {
  static std::map<int, cudaStream_t> of_devices;  // callers hold the device's lock (handle.cpp)
  cudaStream_t& stream = of_devices[current_device()];
  if (stream == nullptr) GEMMLAB_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void wait_for_stream(void* stream) {
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
}

Workspace::Workspace(void* memory, std::size_t bytes) : memory_(static_cast<char*>(memory)), bytes_(bytes) {
  lent_ranges().add(memory_, bytes_);
}

Workspace::~Workspace() {
  lent_ranges().remove(memory_, bytes_);
}

void* Workspace::take(std::size_t bytes) {
  const std::size_t whole = rounded_up(std::max<std::size_t>(bytes, 1), kPiece);
  if (whole > bytes_ - used_) return nullptr;
  void* const at = memory_ + used_;
  used_ += whole;
  return at;
}

Placement::Placement(Workspace* workspace) : workspace_(workspace), before_(placement) {
  placement = this;
}

Placement::~Placement() {
  placement = before_;
}

void* Placement::take(std::size_t bytes) {
  bytes_ += rounded_up(std::max<std::size_t>(bytes, 1), kPiece);
  if (workspace_ == nullptr) return nullptr;
  void* const at = workspace_->take(bytes);
  if (at == nullptr) ran_out_ = true;
  return at;
}

struct HostOperands::Memory {
  std::unique_ptr<DeviceMemory> of[3];

  void* at_least(int which, const StoredMatrix& matrix, ElementType type) {
    const std::size_t bytes = bytes_of(type) * static_cast<std::size_t>(matrix.rows * matrix.cols);
    if (!of[which] || of[which]->bytes() < bytes) {
      of[which].reset();  // before the new memory is taken: both may not fit at once
      of[which] = std::make_unique<DeviceMemory>(bytes);
    }
    return of[which]->data();
  }
};

HostOperands::HostOperands() : memory_(std::make_unique<Memory>()) {}
HostOperands::~HostOperands() = default;

namespace {

struct Rows {
  void* at;
  std::int64_t stride;
};

void copy(Rows to, Rows from, const StoredMatrix& matrix, ElementType type, cudaMemcpyKind kind,
          void* stream) {
  if (matrix.rows == 0 || matrix.cols == 0) return;
  const auto bytes = [&](std::int64_t elements) {
    return bytes_of(type) * static_cast<std::size_t>(elements);
  };
  GEMMLAB_CUDA_CHECK(cudaMemcpy2DAsync(to.at, bytes(to.stride), from.at, bytes(from.stride),
                                       bytes(matrix.cols), static_cast<std::size_t>(matrix.rows), kind,
                                       static_cast<cudaStream_t>(stream)));
}

}  // namespace

HostOperands::Device HostOperands::upload(void* stream, const Shape& shape, const GemmForm& form,
                                          const GemmTypes& types, const void* a, const void* b,
                                          const void* c) {
  const auto sent = [&](int which, const StoredMatrix& matrix, ElementType type, const void* from,
                        bool read) {
    void* const to = memory_->at_least(which, matrix, type);
    if (read) {
      copy({to, matrix.cols}, {const_cast<void*>(from), matrix.stride}, matrix, type, cudaMemcpyHostToDevice,
           stream);
    }
    return to;
  };
  const bool reads = !scales_only(shape, form);
  return {sent(0, stored_a(shape, form), types.type, a, reads),
          sent(1, stored_b(shape, form), types.type, b, reads),
          sent(2, stored_c(shape, form), types.result, c, form.beta != 0)};
}

void HostOperands::download(void* stream, const Shape& shape, const GemmForm& form, ElementType result,
                            void* c) {
  const StoredMatrix matrix = stored_c(shape, form);
  copy({c, matrix.stride}, {memory_->of[2]->data(), matrix.cols}, matrix, result, cudaMemcpyDeviceToHost,
       stream);
  wait_for_stream(stream);
}

namespace {

class BiasedSession : public Session {
 public:
  BiasedSession(std::unique_ptr<Session> product, const StoredMatrix& c, ElementType result, ElementType bias)
      : product_(std::move(product)), c_(c), result_(result), bias_(bias) {
    if (result != ElementType::kFloat32)
      sums_.emplace(sizeof(float) * static_cast<std::size_t>(c.rows * c.cols));
  }

  void run(const Operands& operands) override {
    void* const c = operands.at(2);
    void* const sums = sums_ ? sums_->data() : c;
    product_->run(Operands({operands.at(0), operands.at(1), sums}));
    gpu::launch_add_bias(static_cast<const float*>(sums), sums_ ? c_.cols : c_.stride, operands.at(3), bias_,
                         c, c_, result_);
  }

 private:
  std::unique_ptr<Session> product_;
  StoredMatrix c_;
  ElementType result_;
  ElementType bias_;
  std::optional<DeviceMemory> sums_;  // in float32, where C itself does not hold them
};

}  // namespace

std::unique_ptr<Session> with_bias(std::unique_ptr<Session> product, const Shape& shape, const GemmForm& form,
                                   ElementType result, ElementType bias) {
  return std::make_unique<BiasedSession>(std::move(product), stored_c(shape, form), result, bias);
}

}  // namespace gemmlab::api

cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes) {
  using gemmlab::api::placement;
  if (placement == nullptr) return __real_cudaMalloc(memory, bytes);
  *memory = placement->take(bytes);
  if (*memory != nullptr) return cudaSuccess;
  return placement->from_workspace() ? cudaErrorMemoryAllocation : __real_cudaMalloc(memory, bytes);
}

cudaError_t __wrap_cudaFree(void* memory) {
  return gemmlab::api::lent_ranges().holds(memory) ? cudaSuccess : __real_cudaFree(memory);
}
