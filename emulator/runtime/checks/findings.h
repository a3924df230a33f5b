#pragma once

// What is wrong with a kernel, told once for each place.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/include/gemmlab_cuda_types.h"

namespace gemmlab::emulation {

/// Where a sentence names a place: replaced by "line 31" once places are known.
std::string place_text(std::uint32_t place);
std::string thread_text(const uint3& thread);

struct Finding {
  std::string kind;
  std::string text;  ///< one sentence, with place_text() for lines
  std::string kernel;
  std::string array;
  std::string operation;    ///< "read", "write" or "atomic", of an access
  std::int64_t offset = 0;  ///< bytes from the array's beginning
  int line = 0;             ///< of the launch
  std::uint32_t place = 0;
  std::uint32_t other_place = 0;
  uint3 block{};
  uint3 thread{};
  bool has_other = false;
  uint3 other_thread{};
  bool fatal = false;
  std::uint64_t times = 1;
};

class Findings {
 public:
  void clear() { index_.clear(), all_.clear(); }
  /// True the first time; later ones of the same kind and places are counted only.
  bool known(const char* kind, std::uint32_t place, std::uint32_t other_place = 0);
  void add(Finding finding);
  /// Takes back what later calls have shown not to be so: all of that kind about that array.
  void withdraw(const std::string& kind, const std::string& array);
  const std::vector<Finding>& all() const { return all_; }

 private:
  static constexpr std::size_t kMost = 100;
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::size_t> index_;
  std::vector<Finding> all_;
};

}  // namespace gemmlab::emulation
