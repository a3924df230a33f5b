#include <algorithm>
#include <stdexcept>

#include "core/rounding.h"
#include "gpu/device/check.h"
#include "submissions/callee/device_work.h"
#include "submissions/callee/window.h"
#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {
namespace {

Shape shape_of(const Request& request) {
  return {request.m, request.n, request.k};
}

/// Floats from one C to the next: each begins as cudaMalloc's memory does, and none touches its neighbour.
std::int64_t stride(const Request& request) {
  constexpr std::int64_t kBetween = 1024;
  return rounded_up(shape_of(request).c_count(), kBetween) + kBetween;
}

void at_least(std::unique_ptr<gpu::DeviceMemory>& memory, std::int64_t bytes) {
  if (memory && memory->bytes() >= static_cast<std::size_t>(bytes)) return;
  memory.reset();
  memory = std::make_unique<gpu::DeviceMemory>(static_cast<std::size_t>(bytes));
}

}  // namespace

GpuWindow::~GpuWindow() {
  for (const Pair& pair : events_) {
    cudaEventDestroy(pair.start);
    cudaEventDestroy(pair.stop);
  }
}

float* GpuWindow::c(const Request& request, int number) const {
  return cs_->floats() + number * stride(request);
}

void GpuWindow::prepare(const Request& request, Callable& callable, float* a, float* b) {
  if (request.calls < 1 || request.calls > kMostCallsOfWindow)
    throw std::runtime_error("a window of too many calls");
  const std::int64_t words = request.calls * stride(request);
  at_least(cs_, words * static_cast<std::int64_t>(sizeof(float)));
  at_least(room_, seal_room(shape_of(request).c_count()) * static_cast<std::int64_t>(sizeof(Seal)));
  at_least(seals_, kMostCallsOfWindow * static_cast<std::int64_t>(sizeof(Seal)));
  at_least(done_, sizeof(unsigned));
  while (events_.size() < static_cast<std::size_t>(request.calls)) {
    Pair pair;
    GEMMLAB_CUDA_CHECK(cudaEventCreate(&pair.start));
    GEMMLAB_CUDA_CHECK(cudaEventCreate(&pair.stop));
    events_.push_back(pair);
  }
  GEMMLAB_CUDA_CHECK(cudaMemset(done_->data(), 0, sizeof(unsigned)));
  const Shape shape = shape_of(request);
  for (int i = 0; i < request.untimed; ++i) {
    make_inputs(a, shape.a_count(), b, shape.b_count(), WindowKey{}, nullptr);
    callable.call(shape, a, b, c(request, 0));
    GEMMLAB_CUDA_CHECK(cudaDeviceSynchronize());
  }
  fill_words(static_cast<std::uint32_t*>(cs_->data()), words, kPoisonC);
  keep_busy();
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
  GEMMLAB_CUDA_CHECK(cudaDeviceSynchronize());
}

// Who works in the default stream alone need not wait for A and B, and its launches do not show: they are made while the card
// is busy before them. Each call ends with a wait for the whole device, ours: who waits in solve, too, loses nothing by it, and an empty call
// has it as well.
void GpuWindow::run(const Request& request, Callable& callable, float* a, float* b, Reply& reply) {
  const Shape shape = shape_of(request);
  Seal* seals = static_cast<Seal*>(seals_->data());
  for (int i = 0; i < request.calls; ++i) {
    const Seal* previous = i == 0 ? nullptr : seals + i - 1;
    float* mine = c(request, i);
    const Pair& pair = events_[static_cast<std::size_t>(i)];
    if (request.waits == 0) hide_launches();
    make_inputs(a, shape.a_count(), b, shape.b_count(), request.key, previous);
    if (request.waits != 0) GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(nullptr));
    cudaEventRecord(pair.start);
    callable.call(shape, a, b, mine);
    cudaEventRecord(pair.stop);
    GEMMLAB_CUDA_CHECK(cudaDeviceSynchronize());
    seal(mine, shape.c_count(), request.key, previous, static_cast<Seal*>(room_->data()),
         static_cast<unsigned*>(done_->data()), seals + i);
  }
  GEMMLAB_CUDA_CHECK(cudaMemcpy(reply.seals, seals, static_cast<std::size_t>(request.calls) * sizeof(Seal),
                                cudaMemcpyDeviceToHost));
  double sum_ms = 0;
  for (int i = 0; i < request.calls; ++i) {
    float ms = 0;
    const Pair& pair = events_[static_cast<std::size_t>(i)];
    cudaEventElapsedTime(&ms, pair.start, pair.stop);
    sum_ms += ms;
  }
  reply.seconds = sum_ms * 1e-3 / request.calls;
}

void GpuWindow::bring(const Request& request, float* to) const {
  if (!cs_ || request.number < 0 || request.number >= kMostCallsOfWindow)
    throw std::runtime_error("no such call of a window");
  GEMMLAB_CUDA_CHECK(cudaMemcpy(to, c(request, request.number),
                                static_cast<std::size_t>(shape_of(request).c_count()) * sizeof(float),
                                cudaMemcpyDeviceToHost));
}

}  // namespace gemmlab::submissions
