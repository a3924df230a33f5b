#pragma once

// Kernels with one fault each, run here, and what the diagnosis says of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "submissions/diagnosis/diagnosis.h"
#include "submissions/judge/failures/crash_words.h"

namespace gemmlab::submissions::planted {

/// As students write it: A is M×N, B is N×K, C is M×K.
using Kernel = std::function<void(const float* A, const float* B, float* C, int M, int N, int K)>;

inline Shape shape(int M, int N, int K) {
  return {M, K, N};
}

/// A matrix between two bands, into which a fault may reach.
class FencedMatrix {
 public:
  FencedMatrix(std::int64_t count, float fill)
      : count_(count),
        all_(static_cast<std::size_t>(3 * count + 2 * kBand), std::bit_cast<float>(kPoisonBand)) {
    std::fill(data(), data() + count, fill);
  }
  float* data() { return all_.data() + kBand + count_; }
  std::vector<float> values() { return {data(), data() + count_}; }

 private:
  static constexpr std::int64_t kBand = 8192;
  std::int64_t count_;
  std::vector<float> all_;
};

inline FencedMatrix integers(std::int64_t count, unsigned seed) {
  FencedMatrix matrix(count, 0);
  std::minstd_rand next(seed * 7919 + 17);
  for (std::int64_t i = 0; i < count; ++i) {
    const int value = 1 + static_cast<int>(next() >> 8) % 15;
    matrix.data()[i] = static_cast<float>((next() >> 12) % 2 ? value : -value);
  }
  return matrix;
}

inline std::vector<float> run(const Kernel& kernel, const Shape& s, float c_before, unsigned seed) {
  FencedMatrix a = integers(s.a_count(), seed), b = integers(s.b_count(), seed + 1), c(s.c_count(), c_before);
  kernel(a.data(), b.data(), c.data(), static_cast<int>(s.m), static_cast<int>(s.k), static_cast<int>(s.n));
  return c.values();
}

inline void right_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < K; ++j) {
      float sum = 0;
      for (int l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
  }
}

inline const float kPoison = std::bit_cast<float>(kPoisonC);

/// What the judge hands over: the kernel's C at `at`, called once more, and over zeros.
inline Evidence evidence_of(const Kernel& kernel, const Shape& at) {
  Evidence evidence;
  evidence.shape = at;
  evidence.a = integers(at.a_count(), 1).values();
  evidence.b = integers(at.b_count(), 2).values();
  evidence.c = run(kernel, at, kPoison, 1);
  evidence.c_again = run(kernel, at, kPoison, 1);
  evidence.c_over_zeros = run(kernel, at, 0, 1);
  evidence.previous_right = run(right_kernel, at, 0, 5);
  return evidence;
}

inline const std::vector<Shape>& usual_shapes() {
  static const std::vector<Shape> all = {
      shape(1, 1, 1),    shape(16, 16, 16), shape(32, 32, 32), shape(48, 48, 48),
      shape(33, 33, 33), shape(17, 31, 13), shape(20, 24, 36), shape(29, 47, 37),
      shape(64, 24, 16), shape(16, 40, 24), shape(48, 16, 32), shape(32, 64, 48),
      shape(15, 16, 17), shape(16, 33, 48), shape(8, 72, 56),  shape(19, 40, 32)};
  return all;
}

inline std::vector<ShapeOutcome> outcomes_of(const Kernel& kernel) {
  std::vector<ShapeOutcome> all;
  for (const Shape& s : usual_shapes()) {
    all.push_back({s, run(kernel, s, kPoison, 1) == run(right_kernel, s, kPoison, 1)});
  }
  return all;
}

inline Diagnosis judged(const Kernel& kernel, const Shape& at = shape(29, 47, 37)) {
  return diagnose(evidence_of(kernel, at), outcomes_of(kernel));
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline void expect(const Diagnosis& d, const std::string& pattern, const std::vector<std::string>& in_summary,
                   const std::vector<std::string>& in_hint = {}) {
  SCOPED_TRACE(d.pattern + "\n" + d.summary + "\n" + d.hint);
  EXPECT_EQ(d.pattern, pattern);
  for (const auto& part : in_summary) EXPECT_TRUE(has(d.summary, part)) << "summary lacks: " << part;
  const std::string gpu_hint = for_device(d.hint, true);
  for (const auto& part : in_hint) EXPECT_TRUE(has(gpu_hint, part)) << "hint lacks: " << part;
  EXPECT_EQ(d.summary.back(), '.');
  EXPECT_FALSE(has(d.summary + d.hint, "!"));
  const bool known = std::any_of(patterns().begin(), patterns().end(),
                                 [&](const Pattern& p) { return p.name == d.pattern; });
  EXPECT_TRUE(known) << "not in patterns()";
}

/// A product whose parts can each be replaced by a faulty one.
struct Parts {
  std::function<std::vector<int>(int N)> terms = [](int N) {
    std::vector<int> all;
    for (int l = 0; l < N; ++l) all.push_back(l);
    return all;
  };
  std::function<float(int i, int j, float sum)> store = [](int, int, float sum) { return sum; };
  std::function<bool(int i, int j, int M, int N, int K)> done = [](int, int, int, int, int) { return true; };

  operator Kernel() const {
    return [*this](const float* A, const float* B, float* C, int M, int N, int K) {
      const std::vector<int> taken = terms(N);
      for (int i = 0; i < M; ++i) {
        for (int j = 0; j < K; ++j) {
          if (!done(i, j, M, N, K)) continue;
          float sum = 0;
          for (const int l : taken) sum += A[i * N + l] * B[l * K + j];
          C[i * K + j] = store(i, j, sum);
        }
      }
    };
  }
};

inline Kernel with_terms(std::function<bool(int l, int N)> take) {
  Parts parts;
  parts.terms = [take](int N) {
    std::vector<int> all;
    for (int l = 0; l < N; ++l) {
      if (take(l, N)) all.push_back(l);
    }
    return all;
  };
  return parts;
}

inline Kernel with_values(std::function<float(int i, int j, float sum)> store) {
  Parts parts;
  parts.store = store;
  return parts;
}

inline Kernel only_where(std::function<bool(int i, int j, int M, int N, int K)> done) {
  Parts parts;
  parts.done = done;
  return parts;
}

/// A triple loop with any ends and places.
inline Kernel loops(std::function<int(int M, int N, int K)> inner,
                    std::function<int(int i, int l, int M, int N, int K)> a,
                    std::function<int(int l, int j, int M, int N, int K)> b,
                    std::function<int(int i, int j, int M, int N, int K)> c) {
  return [=](const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < K; ++j) {
        float sum = 0;
        for (int l = 0; l < inner(M, N, K); ++l) sum += A[a(i, l, M, N, K)] * B[b(l, j, M, N, K)];
        C[c(i, j, M, N, K)] = sum;
      }
    }
  };
}
inline const auto kInner = [](int, int N, int) { return N; };
inline const auto kA = [](int i, int l, int, int N, int) { return i * N + l; };
inline const auto kB = [](int l, int j, int, int, int K) { return l * K + j; };
inline const auto kC = [](int i, int j, int, int, int K) { return i * K + j; };

}  // namespace gemmlab::submissions::planted
