#pragma once

// What is wrong with a kernel, told once for each place.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
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
  void clear() { index_.clear(), all_.clear(), withdrawn_.clear(); }
  /// True the first time; later ones of the same kind and places are counted only.
  bool known(const char* kind, std::uint32_t place, std::uint32_t other_place = 0);
  void add(Finding finding);
  /// What a call has shown not to be so: nothing of that kind about that array was meant, nor will be, in whatever order the host's
  /// threads call.
  void withdraw(const std::string& kind, const std::string& array);
  const std::vector<Finding>& all() const { return all_; }

 private:
  static constexpr std::size_t kMost = 100;
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::size_t> index_;
  std::vector<Finding> all_;
  std::set<std::pair<std::string, std::string>> withdrawn_;  ///< kind and array
};

}  // namespace gemmlab::emulation
