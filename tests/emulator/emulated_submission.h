#pragma once

// A .cu as the judge would emulate it: rewritten, compiled, loaded, called.

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "emulator/exports.h"

namespace gemmlab::emulation {

struct Shape {
  int m;
  int n;  ///< the inner extent
  int k;
};

struct Called {
  bool crashed = false;  ///< code of the host ended by a segmentation fault
  int error = 0;
  std::string error_text;
  nlohmann::json findings;
  std::size_t launches = 0;  ///< in the report
  std::uint64_t launches_left_out = 0;
  std::int64_t wrong = 0;  ///< elements of C that differ from the plain product, which is exact here
};

class EmulatedSubmission {
 public:
  /// Compiles `source` in `folder`. Throws std::runtime_error with the compiler's words.
  EmulatedSubmission(const std::filesystem::path& source, const std::filesystem::path& folder);

  /// solve() with A (m, n) and B (n, k) of small integers.
  Called call(const Shape& shape, const GemmlabEmulationLimits& limits) const;

 private:
  template <typename Function>
  Function* function(const char* name) const;

  std::filesystem::path source_;
  std::filesystem::path library_;
  std::shared_ptr<void> handle_;
};

}  // namespace gemmlab::emulation
