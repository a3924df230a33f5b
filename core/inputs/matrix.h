#pragma once

// Host memory for matrices and vectors, aligned to cache lines.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace gemmlab {

/// An owning array in host memory, aligned to a cache line, not initialised (the first writer places its
/// pages). Throws std::bad_alloc when the system refuses the memory.
template <typename T>
class AlignedArray {
 public:
  static constexpr std::size_t kAlignment = 64;

  AlignedArray() = default;
  explicit AlignedArray(std::int64_t count) : count_(count) {
    const std::size_t bytes =
        (static_cast<std::size_t>(count) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(kAlignment, bytes == 0 ? kAlignment : bytes)));
    if (!data_) throw std::bad_alloc();
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::int64_t count() const { return count_; }
  T& operator[](std::int64_t i) { return data_.get()[i]; }
  const T& operator[](std::int64_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::int64_t count_ = 0;
  std::unique_ptr<T, Free> data_;
};

/// A rows×cols row-major matrix that owns its memory.
template <typename T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::int64_t rows, std::int64_t cols) : rows_(rows), cols_(cols), values_(rows * cols) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t count() const { return rows_ * cols_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T& operator()(std::int64_t row, std::int64_t col) { return values_[row * cols_ + col]; }
  const T& operator()(std::int64_t row, std::int64_t col) const { return values_[row * cols_ + col]; }

 private:
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  AlignedArray<T> values_;
};

}  // namespace gemmlab
