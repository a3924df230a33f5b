#include "tests/gpu/on_gpu.h"

#include <cstring>
#include <limits>
#include <stdexcept>

#include "operations/gemm/implementation.h"

namespace gemmlab {

const Implementation& row_of(const std::string& id) {
  for (const Implementation* row : gpu::implementations()) {
    if (row->description().id == id) return *row;
  }
  throw std::out_of_range("no implementation " + id);
}

void OnGpu::SetUp() {
  if (const std::string reason = gpu::unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  backend_ = gpu::make_backend();
}

Guarded::Guarded(Backend& backend, std::int64_t count, std::int64_t offset, Room room)
    : backend_(backend),
      count_(count),
      front_(kBand + offset),
      room_(room),
      memory_(room == Room::kHost ? backend.allocate_host<float>(front_ + count + kBand, HostMemory::kPinned)
                                  : backend.allocate<float>(front_ + count + kBand)) {
  // NaN: whoever reads it into a sum is found out by the result
  backend_.poison(memory_, front_ + count_ + kBand);
}

Guarded::~Guarded() {
  room_ == Room::kHost ? backend_.release_host(memory_, HostMemory::kPinned) : backend_.release(memory_);
}

std::vector<float> Guarded::read() const {
  std::vector<float> values(count_);
  backend_.download(values.data(), memory_ + front_, count_);
  return values;
}

std::int64_t Guarded::changed_outside() const {
  std::vector<float> bands(front_ + kBand);
  backend_.download(bands.data(), memory_, front_);
  backend_.download(bands.data() + front_, memory_ + front_ + count_, kBand);
  std::int64_t changed = 0;
  for (float value : bands) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    if (bits != std::numeric_limits<std::uint32_t>::max()) ++changed;
  }
  return changed;
}

std::vector<float> integer_matrix(std::int64_t rows, std::int64_t cols, Operand operand, std::uint64_t seed,
                                  std::int64_t k) {
  std::vector<float> values(rows * cols);
  fill(values.data(), rows, cols, Distribution::kInteger, seed, operand, 0, integer_limit(k));
  return values;
}

std::vector<float> plain_product(const std::vector<float>& a, const std::vector<float>& b,
                                 const Shape& shape) {
  std::vector<float> c(shape.c_count(), 0.0f);
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t k = 0; k < shape.k; ++k) {
      const float factor = a[row * shape.k + k];
      for (std::int64_t col = 0; col < shape.n; ++col) {
        c[row * shape.n + col] += factor * b[k * shape.n + col];
      }
    }
  }
  return c;
}

std::vector<float> uniform_matrix(std::int64_t rows, std::int64_t cols, Operand operand) {
  std::vector<float> values(rows * cols);
  fill(values.data(), rows, cols, Distribution::kUniform, 1, operand, 0, 1);
  return values;
}

void expect_same_bits(Backend& backend, Session& session, const Shape& shape, int calls) {
  Guarded a(backend, shape.a_count());
  Guarded b(backend, shape.b_count());
  Guarded c(backend, shape.c_count());
  a.write(uniform_matrix(shape.m, shape.k, Operand::kA));
  b.write(uniform_matrix(shape.k, shape.n, Operand::kB));
  session.stage(
      {gemm_operands(a.data(), b.data(), nullptr)});  // does nothing where operands are not to be resident
  std::vector<float> first;
  for (int call = 0; call < calls; ++call) {
    c.poison();
    multiply(session, a.data(), b.data(), c.data());
    backend.synchronize();
    if (call == 0) first = c.read();
    EXPECT_EQ(different(c.read(), first), 0) << "call " << call;
  }
}

std::int64_t different(const std::vector<float>& left, const std::vector<float>& right) {
  std::int64_t count = left.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (!(left[i] == right[i])) ++count;
  }
  return count;
}

}  // namespace gemmlab
