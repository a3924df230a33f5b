#pragma once

// What stands where cuBLAS and cublasLt stand in a program: handles and descriptors that a test fills in, and products that count
// the calls that reach them.

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace planted {

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;
  int math_mode = 0;
};

/// A descriptor's attributes as they lie in memory. As in cublasLt, a value is read with the size that it was written with.
class Attributes {
 public:
  template <typename Value>
  Attributes& set(int which, Value value) {
    std::vector<char>& bytes = all_[which];
    bytes.resize(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return *this;
  }
  bool read(int which, void* to, std::size_t bytes) const {
    const auto found = all_.find(which);
    if (found == all_.end() || found->second.size() != bytes) return false;
    std::memcpy(to, found->second.data(), bytes);
    return true;
  }

 private:
  std::map<int, std::vector<char>> all_;
};

constexpr int kAnswer = 77;  ///< of every product here
int passed_on();             ///< products since it was last asked

}  // namespace planted
