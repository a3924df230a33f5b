#pragma once

// Graphs of products that one host thread captures through the library, and what they have to come to.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gemmlab.h"

namespace gemmlab_test {

struct Dims {
  int M, N, K;
};

inline std::ostream& operator<<(std::ostream& out, const Dims& dims) {
  return out << dims.M << "x" << dims.N << "x" << dims.K;
}

/// Vectors, few rows, few columns, one tile with a long K, ragged edges, several tiles.
inline const std::vector<Dims> kShapes = {{1, 512, 512}, {72, 165, 1275}, {128, 128, 2048}, {500, 500, 500},
                                          {5, 700, 900}, {333, 1, 1000},  {256, 384, 512},  {1024, 64, 96},
                                          {97, 89, 83},  {640, 640, 640}, {16, 2000, 300},  {255, 255, 255}};

/// A block or two each, so that a checker of uninitialised memory, which slows each access, comes to its end with them.
/// From K = 128 on gpu.tensor splits where it is asked for its tensor cores.
inline const std::vector<Dims> kSmallShapes = {{1, 96, 160}, {33, 40, 130}, {64, 64, 256}, {70, 3, 144}};

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Floats on the card, filled and read in a stream of one's own: while one thread captures, another may neither wait
/// for the whole card nor use the default stream, or CUDA gives up the capture.
class OnCard {
 public:
  OnCard(std::size_t count, cudaStream_t stream) : count_(count), stream_(stream) {
    check(cudaMalloc(&data_, count * sizeof(float)));
  }
  ~OnCard() { cudaFree(data_); }
  OnCard(const OnCard&) = delete;
  OnCard& operator=(const OnCard&) = delete;

  float* data() const { return data_; }
  void write(const std::vector<float>& values) {
    check(cudaMemcpyAsync(data_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
  }
  void poison() { check(cudaMemsetAsync(data_, 0xff, count_ * sizeof(float), stream_)); }
  std::vector<float> read() const {
    std::vector<float> values(count_);
    check(cudaMemcpyAsync(values.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return values;
  }

 private:
  std::size_t count_;
  cudaStream_t stream_;
  float* data_ = nullptr;
};

/// Small integers, so that every order of summation gives the same; other ones for another `seed`.
struct Problem {
  Problem(const Dims& dims, int seed)
      : A(std::size_t(dims.M) * dims.K), B(std::size_t(dims.K) * dims.N), C(std::size_t(dims.M) * dims.N) {
    std::uint32_t state = 12345 + static_cast<std::uint32_t>(seed);
    const auto next = [&] {
      state = state * 1664525 + 1013904223;
      return static_cast<float>(static_cast<int>((state >> 24) % 15) - 7);
    };
    for (float& one : A) one = next();
    for (float& one : B) one = next();
    for (int row = 0; row < dims.M; ++row) {
      for (int k = 0; k < dims.K; ++k) {
        const float a = A[std::size_t(row) * dims.K + k];
        for (int col = 0; col < dims.N; ++col)
          C[std::size_t(row) * dims.N + col] += a * B[std::size_t(k) * dims.N + col];
      }
    }
  }
  std::vector<float> A, B, C;
};

/// Shapes, and the problems of each for two seeds.
class Problems {
 public:
  explicit Problems(const std::vector<Dims>& shapes) : shapes_(shapes) {
    for (const Dims& dims : shapes_) {
      for (const int seed : {0, 1}) all_.emplace_back(dims, seed);
    }
  }
  std::size_t size() const { return shapes_.size(); }
  const Dims& dims(std::size_t shape) const { return shapes_[shape]; }
  const Problem& at(std::size_t shape, int seed) const {
    return all_[2 * shape + static_cast<std::size_t>(seed)];
  }

 private:
  std::vector<Dims> shapes_;
  std::vector<Problem> all_;
};

/// Of the twelve shapes, made once.
inline const Problems& twelve() {
  static const Problems problems(kShapes);
  return problems;
}

/// One host thread's own: a stream, a handle, and for each shape its matrices and its graph.
class Captures {
 public:
  /// `problems` outlive this.
  explicit Captures(const std::string& implementation, const char* parameters = nullptr,
                    const Problems& problems = twelve())
      : implementation_(implementation), problems_(problems) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    if (gemmlab_create(&handle_) != GEMMLAB_OK ||
        gemmlab_set_implementation(handle_, implementation.c_str(), parameters) != GEMMLAB_OK ||
        gemmlab_set_stream(handle_, stream_) != GEMMLAB_OK)
      throw std::runtime_error(gemmlab_error());
    for (std::size_t shape = 0; shape < problems_.size(); ++shape) {
      const Problem& problem = problems_.at(shape, 0);
      A_.push_back(std::make_unique<OnCard>(problem.A.size(), stream_));
      B_.push_back(std::make_unique<OnCard>(problem.B.size(), stream_));
      C_.push_back(std::make_unique<OnCard>(problem.C.size(), stream_));
    }
    graphs_.resize(problems_.size());
    const bool library = implementation.rfind("gpu.cublas", 0) == 0;
    if (!library) return;
    for (std::size_t shape = 0; shape < problems_.size(); ++shape)
      call(shape);  // gemmlab.h: once before the capture
    check(cudaStreamSynchronize(stream_));
  }
  ~Captures() {
    for (const cudaGraphExec_t graph : graphs_) cudaGraphExecDestroy(graph);
    gemmlab_destroy(handle_);
    A_.clear();
    B_.clear();
    C_.clear();
    cudaStreamDestroy(stream_);
  }
  Captures(const Captures&) = delete;
  Captures& operator=(const Captures&) = delete;

  void begin() { check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); }
  void call(std::size_t shape) {
    const Dims& dims = problems_.dims(shape);
    if (gemmlab_sgemm(handle_, 0, 0, dims.M, dims.N, dims.K, 1, A_[shape]->data(), dims.K, B_[shape]->data(),
                      dims.N, 0, C_[shape]->data(), dims.N) != GEMMLAB_OK)
      throw std::runtime_error(gemmlab_error());
  }
  void end(std::size_t shape) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph));
    check(cudaGraphInstantiate(&graphs_[shape], graph, 0));
    cudaGraphDestroy(graph);
  }

  /// Fills all matrices, replays all graphs without waiting in between, and says how many came out wrong.
  int wrong_replays(int seed) {
    for (std::size_t shape = 0; shape < problems_.size(); ++shape) {
      A_[shape]->write(problems_.at(shape, seed).A);
      B_[shape]->write(problems_.at(shape, seed).B);
      C_[shape]->poison();
    }
    constexpr std::size_t kStep = 5;  // prime to the numbers of shapes: an order of its own for each replay
    for (std::size_t i = 0; i < problems_.size(); ++i)
      check(
          cudaGraphLaunch(graphs_[(i * kStep + static_cast<std::size_t>(seed)) % problems_.size()], stream_));
    check(cudaStreamSynchronize(stream_));
    int wrong = 0;
    for (std::size_t shape = 0; shape < problems_.size(); ++shape) {
      const bool right = C_[shape]->read() == problems_.at(shape, seed).C;
      EXPECT_TRUE(right) << implementation_ << " " << problems_.dims(shape) << ", inputs " << seed;
      wrong += right ? 0 : 1;
    }
    return wrong;
  }

 private:
  std::string implementation_;
  const Problems& problems_;
  cudaStream_t stream_ = nullptr;
  gemmlab_handle* handle_ = nullptr;
  std::vector<std::unique_ptr<OnCard>> A_, B_, C_;
  std::vector<cudaGraphExec_t> graphs_;
};

}  // namespace gemmlab_test
