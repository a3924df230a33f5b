// Matrices in host memory: transfers, allocation, and a C that is right afterwards.

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>

#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

/// Host memory of the backend, given back at the end.
class HostFloats {
 public:
  HostFloats(Backend& backend, std::int64_t count, HostMemory kind)
      : backend_(backend), count_(count), kind_(kind), data_(backend.allocate_host<float>(count, kind)) {}
  ~HostFloats() { backend_.release_host(data_, kind_); }
  HostFloats(const HostFloats&) = delete;
  HostFloats& operator=(const HostFloats&) = delete;

  float* data() { return data_; }
  void write(const std::vector<float>& values) {
    std::memcpy(data_, values.data(), values.size() * sizeof(float));
  }
  void poison() { std::fill(data_, data_ + count_, std::numeric_limits<float>::quiet_NaN()); }
  std::vector<float> read() const { return {data_, data_ + count_}; }

 private:
  Backend& backend_;
  std::int64_t count_;
  HostMemory kind_;
  float* data_;
};

/// A shape's matrices on the host and a session of an implementation for it.
struct Problem {
  Problem(Backend& backend, const Shape& of, HostMemory kind, const Implementation* implementation)
      : memory(kind),
        shape(of),
        a(backend, of.a_count(), kind),
        b(backend, of.b_count(), kind),
        c(backend, of.c_count(), kind),
        session(implementation->prepare(gemm_at(of), complete(implementation->description(), {}))) {}

  EndToEnd work(Allocation allocation) {
    const Instance instance = gemm_at(shape);
    EndToEnd work;
    work.operands = {{a.data(), instance.bytes(0), Direction::kIn},
                     {b.data(), instance.bytes(1), Direction::kIn},
                     {c.data(), instance.bytes(2), Direction::kOut}};
    work.allocation = allocation;
    work.host_memory = memory;
    work.run = [this](const Operands& operands) { session->run(operands); };
    return work;
  }

  HostMemory memory;
  Shape shape;
  HostFloats a;
  HostFloats b;
  HostFloats c;
  std::unique_ptr<Session> session;
};

constexpr Allocation kEvery[] = {Allocation::kNotCounted, Allocation::kCounted, Allocation::kHostToo};

class GpuEndToEnd : public OnGpu {
 protected:
  void expect_right(Problem& problem, Allocation allocation) {
    const Shape& shape = problem.shape;
    for (std::uint64_t seed : {1, 2}) {  // what was kept from the first must not answer for the second
      const auto a = integer_matrix(shape.m, shape.k, Operand::kA, seed, shape.k);
      const auto b = integer_matrix(shape.k, shape.n, Operand::kB, seed, shape.k);
      problem.a.write(a);
      problem.b.write(b);
      problem.c.poison();
      EXPECT_GT(backend_->end_to_end_s(problem.work(allocation)), 0);
      EXPECT_EQ(different(problem.c.read(), plain_product(a, b, shape)), 0) << "seed " << seed;
      EXPECT_EQ(different(problem.a.read(), a), 0) << "A was written";
      EXPECT_EQ(different(problem.b.read(), b), 0) << "B was written";
    }
  }
};

TEST_F(GpuEndToEnd, c_is_right_for_every_implementation_kind_of_memory_and_allocation) {
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    if (!implementation->unavailable().empty()) continue;
    for (HostMemory kind : {HostMemory::kPageable, HostMemory::kPinned}) {
      for (const Allocation allocation : kEvery) {
        SCOPED_TRACE(implementation->description().id + " " + to_string(kind) + " allocation " +
                     to_string(allocation));
        for (const Shape& shape : {Shape{257, 131, 67}, Shape{1, 1, 1}, Shape{300, 200, 100}}) {
          Problem problem(*backend_, shape, kind, implementation);
          expect_right(problem, allocation);
        }
      }
    }
  }
}

TEST_F(GpuEndToEnd, memory_that_is_not_counted_is_kept_until_the_group_ends) {
  Problem problem(*backend_, {4096, 4096, 1024}, HostMemory::kPinned,
                  of_operation(gpu::implementations(), "gemm").front());
  backend_->end_to_end_s(problem.work(Allocation::kCounted));  // loads the kernel
  const std::int64_t before = backend_->free_bytes();
  const std::int64_t needed = static_cast<std::int64_t>(problem.shape.least_bytes());
  constexpr std::int64_t kSlack = std::int64_t{8} << 20;
  backend_->end_to_end_s(problem.work(Allocation::kCounted));
  EXPECT_GE(backend_->free_bytes(), before - kSlack) << "counted memory was not given back";
  backend_->end_to_end_s(problem.work(Allocation::kNotCounted));
  EXPECT_LE(backend_->free_bytes(), before - needed + kSlack);
  backend_->end_to_end_s(problem.work(Allocation::kNotCounted));
  EXPECT_GE(backend_->free_bytes(), before - needed - kSlack) << "memory was taken again";
  backend_->drop_graphs();
  EXPECT_GE(backend_->free_bytes(), before - kSlack);
}

TEST_F(GpuEndToEnd, host_memory_that_cannot_be_had_is_said_to_be_out_of_memory) {
  const std::int64_t too_many = std::int64_t{1} << 46;
  for (HostMemory kind : {HostMemory::kPageable, HostMemory::kPinned}) {
    EXPECT_THROW(backend_->allocate_host<float>(too_many, kind), OutOfMemory) << to_string(kind);
    float* memory = backend_->allocate_host<float>(1000, kind);
    std::fill(memory, memory + 1000, 1.0f);
    EXPECT_NO_THROW(backend_->release_host(memory, kind)) << to_string(kind);
    EXPECT_NO_THROW(backend_->release_host(nullptr, kind)) << to_string(kind);
  }
}

TEST_F(GpuEndToEnd, device_memory_that_cannot_be_had_leaves_the_backend_fit_for_use) {
  Problem problem(*backend_, {257, 131, 67}, HostMemory::kPageable,
                  of_operation(gpu::implementations(), "gemm").front());
  for (const Allocation allocation : kEvery) {
    EndToEnd too_large = problem.work(allocation);
    too_large.operands[2].bytes = std::int64_t{1} << 48;
    EXPECT_THROW(backend_->end_to_end_s(too_large), OutOfMemory);
    expect_right(problem, allocation);
  }
}

TEST_F(GpuEndToEnd, a_profiled_call_runs_once_and_is_done_afterwards) {
  Guarded c(*backend_, 1000);
  int calls = 0;
  EXPECT_NO_THROW(backend_->profiled([&] { ++calls; }));
  EXPECT_EQ(calls, 1);
  const Backend::Call fail = [] { throw std::runtime_error("planted"); };
  EXPECT_THROW(backend_->profiled(fail), std::runtime_error);
  EXPECT_NO_THROW(backend_->profiled([&] { c.poison(); }));
}

}  // namespace
}  // namespace gemmlab
