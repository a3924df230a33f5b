#pragma once

#include <string>
#include <vector>

namespace gemmlab::submissions {

/// Shared libraries that are there `now`, were not `before` a submission was loaded, and that neither the
/// compiler links nor the CUDA driver opens by itself.
std::vector<std::string> opened_libraries(const std::vector<std::string>& before,
                                          const std::vector<std::string>& now);

}  // namespace gemmlab::submissions
