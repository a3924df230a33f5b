// Handles on a GPU that is emulated: what a captured graph holds, streams, workspaces, threads.

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "api/gemmlab.h"
#include "emulator/exports.h"

namespace {

using ::testing::HasSubstr;

constexpr const char* kIds[] = {"gpu.pipelined", "gpu.tiled_transposed", "gpu.naive"};

/// A matrix on the device.
class Matrix {
 public:
  Matrix(int rows, int cols, int seed) : values_(static_cast<std::size_t>(rows) * cols) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(seed)) % 11) - 5;
    cudaMalloc(&device_, values_.size() * sizeof(float));
    upload();
  }
  ~Matrix() { cudaFree(device_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  float* device() const { return device_; }
  float at(std::size_t i) const { return values_[i]; }
  void upload() { std::memcpy(device_, values_.data(), values_.size() * sizeof(float)); }
  void clear() { std::memset(device_, 0xFF, values_.size() * sizeof(float)); }
  std::vector<float> fetched() const { return {device_, device_ + values_.size()}; }

 private:
  std::vector<float> values_;
  float* device_ = nullptr;
};

/// Small integers: every order of summation gives the same.
struct Case {
  Case(int m, int n, int k) : M(m), N(n), K(k), A(m, k, 1), B(k, n, 4), C(m, n, 8), right(m * n) {
    for (int row = 0; row < M; ++row) {
      for (int col = 0; col < N; ++col) {
        for (int i = 0; i < K; ++i) right[row * N + col] += A.at(row * K + i) * B.at(i * N + col);
      }
    }
  }
  int by(gemmlab_handle* handle) {
    return gemmlab_sgemm(handle, 0, 0, M, N, K, 1, A.device(), K, B.device(), N, 0, C.device(), N);
  }
  int M, N, K;
  Matrix A, B, C;
  std::vector<float> right;
};

struct DestroyHandle {
  void operator()(gemmlab_handle* handle) const { gemmlab_destroy(handle); }
};
using Handle = std::unique_ptr<gemmlab_handle, DestroyHandle>;

Handle made(const char* id) {
  gemmlab_handle* handle = nullptr;
  EXPECT_EQ(gemmlab_create(&handle), GEMMLAB_OK) << gemmlab_error();
  EXPECT_EQ(gemmlab_set_implementation(handle, id, nullptr), GEMMLAB_OK) << gemmlab_error();
  return Handle(handle);
}

std::string finding() {
  const auto report = nlohmann::json::parse(gemmlab_emulation_report());
  return report.at("findings").empty() ? "" : report.at("findings").at(0).at("text");
}

class HandleTest : public ::testing::Test {
 protected:
  HandleTest() {
    const GemmlabEmulationLimits limits = {};
    gemmlab_emulation_begin(&limits);
    for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  ~HandleTest() override {
    cudaDeviceSynchronize();
    EXPECT_EQ(finding(), "");
    for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  }
  std::size_t used() const {
    std::size_t free = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&free, &total);
    return total - free;
  }
  std::array<cudaStream_t, 3> streams;
};

/// As PyTorch captures: in the mode that forbids memory to be taken.
cudaGraphExec_t captured(cudaStream_t stream, const std::function<void()>& work) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  work();
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  cudaGraphDestroy(graph);
  return executable;
}

/// Twelve shapes; of 1 and of 129 columns a product takes memory of its own.
std::vector<std::unique_ptr<Case>> twelve() {
  std::vector<std::unique_ptr<Case>> cases;
  for (int i = 0; i < 12; ++i)
    cases.push_back(std::make_unique<Case>(3 + 5 * i, i % 4 == 3 ? 1 : 9 + 4 * i, 8 + i));
  return cases;
}

TEST_F(HandleTest, graphs_of_twelve_shapes_outlive_streams_workspaces_and_the_handle) {
  const std::size_t before = used();
  {
    auto cases = twelve();
    const std::size_t with_matrices = used();
    std::vector<cudaGraphExec_t> graphs;
    for (const char* id : kIds) {
      Handle handle = made(id);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        ASSERT_EQ(gemmlab_set_stream(handle.get(), streams[i % 3]), GEMMLAB_OK);
        graphs.push_back(captured(streams[i % 3], [&] {
          ASSERT_EQ(cases[i]->by(handle.get()), GEMMLAB_OK) << id << ": " << gemmlab_error();
        }));
      }
    }  // the handles are gone
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      Case& one = *cases[i % cases.size()];
      for (int replay = 0; replay < 2; ++replay) {
        one.C.clear();
        ASSERT_EQ(cudaGraphLaunch(graphs[i], streams[replay]), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(streams[replay]), cudaSuccess) << finding();
        ASSERT_EQ(one.C.fetched(), one.right) << "graph " << i;
      }
    }
    for (cudaGraphExec_t graph : graphs) cudaGraphExecDestroy(graph);
    EXPECT_GT(used(), with_matrices);  // nobody has called since
    Handle last = made("gpu.naive");
    ASSERT_EQ(cases[0]->by(last.get()), GEMMLAB_OK);
    EXPECT_EQ(used(), with_matrices);
  }
  EXPECT_EQ(used(), before);
}

TEST_F(HandleTest, the_old_functions_keep_what_a_graph_holds_when_the_stream_is_set_before_each_call) {
  auto cases = twelve();
  gemmlab_use_stream(streams[0]);
  Case& first = *cases[3];
  const cudaGraphExec_t graph = captured(streams[0], [&] {
    ASSERT_EQ(gemmlab_multiply("gpu.pipelined", nullptr, first.A.device(), first.B.device(), first.C.device(),
                               first.M, first.N, first.K),
              GEMMLAB_OK)
        << gemmlab_error();
  });
  std::size_t used_after_one_round = 0;
  for (int round = 0; round < 2; ++round) {
    for (auto& one : cases) {
      gemmlab_use_stream(streams[1]);
      ASSERT_EQ(gemmlab_multiply("gpu.pipelined", nullptr, one->A.device(), one->B.device(), one->C.device(),
                                 one->M, one->N, one->K),
                GEMMLAB_OK)
          << gemmlab_error();
      cudaStreamSynchronize(streams[1]);
      ASSERT_EQ(one->C.fetched(), one->right);
    }
    if (round == 0) used_after_one_round = used();
  }
  EXPECT_EQ(used(), used_after_one_round);
  gemmlab_release();
  first.C.clear();
  cudaGraphLaunch(graph, streams[2]);
  ASSERT_EQ(cudaStreamSynchronize(streams[2]), cudaSuccess) << finding();
  EXPECT_EQ(first.C.fetched(), first.right);
  cudaGraphExecDestroy(graph);
  gemmlab_use_stream(nullptr);
}

TEST_F(HandleTest, a_workspace_of_the_size_asked_for_serves_shapes_one_after_another) {
  Handle handle = made("gpu.tiled_transposed");
  std::size_t most = 0;
  auto cases = twelve();
  for (auto& one : cases) {
    std::size_t bytes = 0;
    ASSERT_EQ(gemmlab_workspace_bytes(handle.get(), 0, 0, one->M, one->N, one->K, 1, one->K, one->N, 0,
                                      one->N, &bytes),
              GEMMLAB_OK)
        << gemmlab_error();
    EXPECT_GE(bytes, static_cast<std::size_t>(one->K) * one->N * sizeof(float));
    most = std::max(most, bytes);
  }
  // its constructor measures on as much again
  void* workspace = nullptr;
  cudaMalloc(&workspace, most);
  ASSERT_EQ(gemmlab_set_workspace(handle.get(), workspace, most), GEMMLAB_OK);
  ASSERT_EQ(gemmlab_set_stream(handle.get(), streams[0]), GEMMLAB_OK);
  const std::size_t before = used();
  for (auto& one : cases) {
    ASSERT_EQ(one->by(handle.get()), GEMMLAB_OK) << gemmlab_error();
    cudaStreamSynchronize(streams[0]);
    ASSERT_EQ(one->C.fetched(), one->right);
  }
  EXPECT_EQ(used(), before);

  ASSERT_EQ(gemmlab_set_workspace(handle.get(), workspace, 256), GEMMLAB_OK);
  EXPECT_EQ(cases[11]->by(handle.get()), GEMMLAB_WORKSPACE);
  EXPECT_THAT(gemmlab_error(), HasSubstr("256 bytes"));
  handle.reset();
  cudaFree(workspace);
}

TEST_F(HandleTest, what_a_graph_holds_of_a_workspace_is_not_used_again) {
  Handle handle = made("gpu.tiled_transposed");
  Case small(16, 16, 16), large(16, 32, 64);
  std::size_t bytes = 0;
  ASSERT_EQ(gemmlab_workspace_bytes(handle.get(), 0, 0, 16, 32, 64, 1, 64, 32, 0, 32, &bytes), GEMMLAB_OK);
  void* workspace = nullptr;
  cudaMalloc(&workspace, bytes);
  gemmlab_set_workspace(handle.get(), workspace, bytes);
  gemmlab_set_stream(handle.get(), streams[0]);
  const cudaGraphExec_t graph = captured(streams[0], [&] { ASSERT_EQ(small.by(handle.get()), GEMMLAB_OK); });
  EXPECT_EQ(large.by(handle.get()), GEMMLAB_WORKSPACE);
  cudaGraphLaunch(graph, streams[0]);
  cudaStreamSynchronize(streams[0]);
  EXPECT_EQ(small.C.fetched(), small.right);
  cudaGraphExecDestroy(graph);
  EXPECT_EQ(large.by(handle.get()), GEMMLAB_OK) << gemmlab_error();
  cudaStreamSynchronize(streams[0]);
  EXPECT_EQ(large.C.fetched(), large.right);
  handle.reset();
  cudaFree(workspace);
}

TEST_F(HandleTest, threads_with_handles_of_their_own_do_not_mix) {
  std::vector<std::thread> threads;
  std::array<int, 3> wrong = {};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      Handle handle = made(kIds[i]);
      gemmlab_set_stream(handle.get(), streams[i]);
      for (auto& one : twelve()) {
        const bool right = one->by(handle.get()) == GEMMLAB_OK &&
                           cudaStreamSynchronize(streams[i]) == cudaSuccess && one->C.fetched() == one->right;
        if (!right) ++wrong[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, 3>{}));
}

TEST_F(HandleTest, operands_on_the_host_are_taken_to_the_card_and_back) {
  Handle handle = made("gpu.pipelined");
  ASSERT_EQ(gemmlab_set_operands(handle.get(), GEMMLAB_ON_HOST), GEMMLAB_OK);
  ASSERT_EQ(gemmlab_set_stream(handle.get(), streams[1]), GEMMLAB_OK);
  // A transposed and padded; C is read and padded
  const float A[] = {1, 4, 99, 2, 5, 99, 3, 6, 99}, B[] = {1, 0, 2, 1, 1, 1};
  float C[] = {1, 1, -7, 1, 1, -7};
  ASSERT_EQ(gemmlab_sgemm(handle.get(), 1, 0, 2, 2, 3, 2, A, 3, B, 2, 3, C, 3), GEMMLAB_OK)
      << gemmlab_error();
  EXPECT_THAT(C, ::testing::ElementsAre(2 * 8 + 3, 2 * 5 + 3, -7, 2 * 20 + 3, 2 * 11 + 3, -7));
}

TEST_F(HandleTest, forms_are_taken_where_the_kernel_has_them_and_refused_elsewhere) {
  Case one(20, 24, 16);
  Handle naive = made("gpu.naive");
  EXPECT_EQ(gemmlab_sgemm(naive.get(), 0, 0, 20, 24, 16, 2, one.A.device(), 16, one.B.device(), 24, 0,
                          one.C.device(), 24),
            GEMMLAB_REFUSED);
  EXPECT_THAT(gemmlab_error(), HasSubstr("alpha = 2"));
  Handle pipelined = made("gpu.pipelined");
  gemmlab_set_stream(pipelined.get(), streams[0]);
  ASSERT_EQ(gemmlab_sgemm_strided_batched(pipelined.get(), 0, 0, 10, 24, 16, 1, one.A.device(), 16, 160,
                                          one.B.device(), 24, 0, 0, one.C.device(), 24, 240, 2),
            GEMMLAB_OK)
      << gemmlab_error();
  cudaStreamSynchronize(streams[0]);
  EXPECT_EQ(one.C.fetched(), one.right);
}

TEST_F(HandleTest, a_batch_is_one_launch_with_transposes_factors_strides_and_a_shared_operand) {
  constexpr int kM = 5, kN = 9, kK = 7, kCount = 3, kLdb = 8, kLdc = 11, kStrideB = 9 * kLdb + 3,
                kStrideC = 60;
  std::vector<float> A(kM * kK), B(kCount * kStrideB), C(kCount * kStrideC), right(C.size());
  for (std::size_t i = 0; i < A.size(); ++i) A[i] = static_cast<float>(i % 5) - 2;
  for (std::size_t i = 0; i < B.size(); ++i) B[i] = static_cast<float>(i % 7) - 3;
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = right[i] = static_cast<float>(i % 3);
  for (int i = 0; i < kCount; ++i) {
    for (int row = 0; row < kM; ++row) {
      for (int col = 0; col < kN; ++col) {
        float sum = 0;
        for (int k = 0; k < kK; ++k) sum += A[row * kK + k] * B[i * kStrideB + col * kLdb + k];
        float& to = right[i * kStrideC + row * kLdc + col];
        to = 2 * sum - 3 * to;
      }
    }
  }
  const auto on_device = [](std::vector<float>& values) {
    void* memory = nullptr;
    cudaMalloc(&memory, values.size() * sizeof(float));
    cudaMemcpy(memory, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return static_cast<float*>(memory);
  };
  float *a = on_device(A), *b = on_device(B), *c = on_device(C);
  Handle handle = made("gpu.pipelined");
  gemmlab_set_stream(handle.get(), streams[0]);
  ASSERT_EQ(gemmlab_sgemm_strided_batched(handle.get(), 0, 1, kM, kN, kK, 2, a, kK, 0, b, kLdb, kStrideB, -3,
                                          c, kLdc, kStrideC, kCount),
            GEMMLAB_OK)
      << gemmlab_error();
  cudaStreamSynchronize(streams[0]);
  cudaMemcpy(C.data(), c, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
  EXPECT_EQ(C, right);
  for (float* memory : {a, b, c}) cudaFree(memory);
}

}  // namespace
