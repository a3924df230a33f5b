// Batches by gpu.tensor through the library on a card: one session holds all products, or, where memory does not allow
// that, one after the other.

#include <functional>

#include "tests/api/captures.h"

namespace gemmlab_test {
namespace {

/// Products as a caller may lay them out: padding between rows (`extra`) and between matrices (`gap`); one B for all.
struct Layout {
  Dims dims;
  int count;
  bool transpose_a = false, transpose_b = false, one_b = false;
  int extra = 0, gap = 0;
  float alpha = 1, beta = 0;
};

struct Stored {
  Stored(int rows, int cols, const Layout& layout, bool one = false)
      : ld(cols + layout.extra), stride(one ? 0 : rows * ld + layout.gap), floats(std::size_t(rows) * ld) {
    floats += std::size_t(layout.count - 1) * std::size_t(stride);
  }
  int ld;
  int stride;
  std::size_t floats;
};

class Batch {
 public:
  Batch(const Layout& layout, cudaStream_t stream)
      : at_(layout),
        a_(layout.transpose_a ? layout.dims.K : layout.dims.M,
           layout.transpose_a ? layout.dims.M : layout.dims.K, layout),
        b_(layout.transpose_b ? layout.dims.N : layout.dims.K,
           layout.transpose_b ? layout.dims.K : layout.dims.N, layout, layout.one_b),
        c_(layout.dims.M, layout.dims.N, layout),
        A(a_.floats, stream),
        B(b_.floats, stream),
        C(c_.floats, stream) {}

  /// Small integers, so that every order of summation gives the same.
  void fill(std::uint32_t seed) {
    const auto values = [&](std::size_t count) {
      std::vector<float> made(count);
      for (float& one : made) {
        seed = seed * 1664525 + 1013904223;
        one = static_cast<float>(static_cast<int>((seed >> 24) % 15) - 7);
      }
      return made;
    };
    const std::vector<float> a = values(a_.floats), b = values(b_.floats);
    right_ = values(c_.floats);
    A.write(a), B.write(b), C.write(right_);
    const auto [M, N, K] = at_.dims;
    for (int i = 0; i < at_.count; ++i) {
      for (int row = 0; row < M; ++row) {
        for (int col = 0; col < N; ++col) {
          float sum = 0;
          for (int k = 0; k < K; ++k)
            sum += a[std::size_t(i) * a_.stride + (at_.transpose_a ? k * a_.ld + row : row * a_.ld + k)] *
                   b[std::size_t(i) * b_.stride + (at_.transpose_b ? col * b_.ld + k : k * b_.ld + col)];
          float& to = right_[std::size_t(i) * c_.stride + row * c_.ld + col];
          to = at_.alpha * sum + (at_.beta == 0 ? 0 : at_.beta * to);
        }
      }
    }
  }
  int by(gemmlab_handle* handle) {
    const auto [M, N, K] = at_.dims;
    return gemmlab_sgemm_strided_batched(handle, at_.transpose_a, at_.transpose_b, M, N, K, at_.alpha,
                                         A.data(), a_.ld, a_.stride, B.data(), b_.ld, b_.stride, at_.beta,
                                         C.data(), c_.ld, c_.stride, at_.count);
  }
  std::size_t bytes_of_one(gemmlab_handle* handle) const {
    std::size_t bytes = 0;
    const auto [M, N, K] = at_.dims;
    EXPECT_EQ(gemmlab_workspace_bytes(handle, at_.transpose_a, at_.transpose_b, M, N, K, at_.alpha, a_.ld,
                                      b_.ld, at_.beta, c_.ld, &bytes),
              GEMMLAB_OK)
        << gemmlab_error();
    return bytes;
  }
  /// Padding, too, is as it was.
  bool is_right() const { return C.read() == right_; }

 private:
  Layout at_;
  Stored a_, b_, c_;
  std::vector<float> right_;

 public:
  OnCard A, B, C;
};

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free;
}

class BatchesOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int cards = 0;
    if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0) GTEST_SKIP() << "no CUDA device";
    if (*gemmlab_unavailable("gpu.tensor") != '\0') GTEST_SKIP() << gemmlab_unavailable("gpu.tensor");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    cudaDeviceProp card = {};
    check(cudaGetDeviceProperties(&card, 0));
    hopper_ = card.major == 9;
    renew("instruction=wgmma");
  }
  void TearDown() override {
    gemmlab_destroy(handle_);
    if (stream_ != nullptr) check(cudaStreamDestroy(stream_));
  }
  void renew(const char* parameters) {
    gemmlab_destroy(handle_);
    ASSERT_EQ(gemmlab_create(&handle_), GEMMLAB_OK) << gemmlab_error();
    ASSERT_EQ(gemmlab_set_implementation(handle_, "gpu.tensor", parameters), GEMMLAB_OK) << gemmlab_error();
    ASSERT_EQ(gemmlab_set_stream(handle_, stream_), GEMMLAB_OK);
  }

  cudaStream_t stream_ = nullptr;
  gemmlab_handle* handle_ = nullptr;
  bool hopper_ = false;
};

TEST_F(BatchesOnGpu, are_right_in_every_form) {
  const std::vector<Layout> layouts = {{{130, 70, 160}, 3},
                                       {{64, 64, 256}, 5, true, false, false, 3, 17, 2, -3},
                                       {{33, 40, 130}, 4, false, true, false, 1, 5, -1, 1},
                                       {{70, 3, 144}, 7, true, true, false, 4, 64, 0.5F, 0},
                                       {{128, 128, 128}, 3, false, false, true, 0, 1},
                                       {{5, 9, 7}, 6, false, true, true, 2, 3, 2, 1},
                                       {{16, 24, 200}, 4, false, false, false, 0, 0, 0, 2}};
  for (const char* parameters :
       {"instruction=wgmma", "instruction=widest", "instruction=mma", "products=8"}) {
    renew(parameters);
    for (const Layout& layout : layouts) {
      Batch batch(layout, stream_);
      for (const std::uint32_t seed : {1U, 2U}) {
        batch.fill(seed);
        ASSERT_EQ(batch.by(handle_), GEMMLAB_OK) << gemmlab_error();
        EXPECT_TRUE(batch.is_right()) << layout.dims << " " << parameters << ", seed " << seed;
      }
    }
  }
}

/// Other strides or another count are another session, and neither disturbs the other.
TEST_F(BatchesOnGpu, of_other_strides_and_counts_follow_each_other) {
  Batch two({{64, 48, 160}, 2}, stream_), three({{64, 48, 160}, 3}, stream_),
      apart({{64, 48, 160}, 3, false, false, false, 0, 9}, stream_);
  for (const std::uint32_t seed : {1U, 2U}) {
    for (Batch* batch : {&two, &three, &apart}) {
      batch->fill(seed);
      ASSERT_EQ(batch->by(handle_), GEMMLAB_OK) << gemmlab_error();
    }
    for (Batch* batch : {&two, &three, &apart}) EXPECT_TRUE(batch->is_right()) << seed;
  }
}

TEST_F(BatchesOnGpu, go_product_by_product_in_a_workspace_for_one) {
  Batch batch({{256, 256, 256}, 64}, stream_);
  const std::size_t one = batch.bytes_of_one(handle_);
  const std::size_t before = free_bytes();
  {
    const OnCard workspace((one + 3) / 4 + 64, stream_);
    ASSERT_EQ(gemmlab_set_workspace(handle_, workspace.data(), one), GEMMLAB_OK) << gemmlab_error();
    const std::size_t with_workspace = free_bytes();
    for (const std::uint32_t seed : {1U, 2U}) {
      batch.fill(seed);
      ASSERT_EQ(batch.by(handle_), GEMMLAB_OK) << gemmlab_error();
      EXPECT_TRUE(batch.is_right()) << seed;
    }
    EXPECT_LT(with_workspace - free_bytes(), std::size_t{8} << 20) << "all of it in the workspace";
    ASSERT_EQ(gemmlab_set_workspace(handle_, nullptr, 0), GEMMLAB_OK);
  }
  batch.fill(3);
  ASSERT_EQ(batch.by(handle_), GEMMLAB_OK) << gemmlab_error();
  EXPECT_TRUE(batch.is_right());
  if (hopper_) EXPECT_GT(before - free_bytes(), std::size_t{16} << 20) << "split operands of all products";
}

TEST_F(BatchesOnGpu, are_captured_into_graphs_that_outlive_the_handle) {
  Batch batch({{96, 80, 192}, 3}, stream_);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(batch.by(handle_), GEMMLAB_OK) << gemmlab_error();
  check(cudaStreamEndCapture(stream_, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  gemmlab_destroy(handle_);
  handle_ = nullptr;
  for (const std::uint32_t seed : {1U, 2U}) {
    batch.fill(seed);
    check(cudaGraphLaunch(executable, stream_));
    EXPECT_TRUE(batch.is_right()) << seed;
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace gemmlab_test
