// The gemmlab program with three implementations more, right or wrong in the way that their parameter says.

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>

#include "core/backend.h"
#include "operations/gemm/implementation.h"
#include "runner/program.h"

namespace gemmlab {
namespace {

void plain_product(const float* a, const float* b, float* c, const Shape& shape) {
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t col = 0; col < shape.n; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < shape.k; ++i) sum += a[row * shape.k + i] * b[i * shape.n + col];
      c[row * shape.n + col] = sum;
    }
  }
}

/// Keeps the upper 16 bits of a float, as a careless conversion to bf16 does.
float truncated(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits &= 0xffff0000u;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

class FaultySession : public GemmSession {
 public:
  FaultySession(const Shape& shape, std::string kind)
      : shape_(shape), kind_(std::move(kind)), first_(sessions_++ == 0) {}

  void multiply(const float* a, const float* b, float* c) override {
    ++calls_;
    if (kind_ == "crash") std::raise(SIGSEGV);
    if (kind_ == "abort") std::abort();
    if (kind_ == "exit") ::_exit(0);
    if (kind_ == "mutter") {
      std::fputs("caf\xe9 \xff\n", stderr);
      std::abort();
    }
    if (kind_ == "throw") throw std::runtime_error("the planted exception");
    if (kind_ == "out-of-memory") throw OutOfMemory("the planted lack of memory");
    if (kind_ == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (kind_ == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (kind_ == "slow-first") std::this_thread::sleep_for(std::chrono::milliseconds(first_ ? 20 : 2));
    if (kind_ == "late-crash" && calls_ > 12) std::raise(SIGSEGV);
    if (kind_ == "late-wrong" && calls_ > 12) return;  // C stays as the caller left it
    if (kind_ == "reduced") return reduced(a, b, c);
    plain_product(a, b, c, shape_);
    if (kind_ == "wrong") c[shape_.c_count() - 1] += 1;
    if (kind_ == "nan") c[0] = std::numeric_limits<float>::quiet_NaN();
    if (kind_ == "changes-a") const_cast<float*>(a)[0] = 0.5f;
  }
  int threads_actual() const override { return 1; }

 private:
  void reduced(const float* a, const float* b, float* c) {
    std::vector<float> a_short(a, a + shape_.a_count());
    for (float& value : a_short) value = truncated(value);
    plain_product(a_short.data(), b, c, shape_);
  }

  static inline int sessions_ = 0;  ///< of this process

  Shape shape_;
  std::string kind_;
  bool first_;
  int calls_ = 0;
};

class Faulty : public GemmImplementation {
 public:
  Faulty(const char* id, const std::vector<std::string>& kinds) {
    description_.id = id;
    description_.summary = "goes wrong as its parameter says";
    ParameterSpec kind;
    kind.name = "kind";
    for (const std::string& value : kinds) kind.choices.emplace_back(value);
    kind.default_value = kinds.front();
    description_.parameters.push_back(kind);
  }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters& parameters) const override {
    if (text(parameters, "kind") == "early-crash") std::raise(SIGSEGV);
    return text(parameters, "kind") == "refuses" ? "it refuses every shape" : "";
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return std::make_unique<FaultySession>(shape, text(parameters, "kind"));
  }

 private:
  Description description_;
};

}  // namespace
}  // namespace gemmlab

int main(int argc, char** argv) {
  const gemmlab::Faulty fault(
      "cpu.fault",
      {"right", "crash", "abort", "exit", "mutter", "early-crash", "throw", "out-of-memory", "hang", "slow",
       "slow-first", "late-crash", "late-wrong", "reduced", "wrong", "nan", "changes-a", "refuses"});
  const gemmlab::Faulty wrong("cpu.wrong", {"wrong", "crash"});
  const gemmlab::Faulty choosy("cpu.choosy", {"auto", "right", "slow", "wrong"});
  return gemmlab::runner::program(argc, argv, {&fault, &wrong, &choosy});
}
