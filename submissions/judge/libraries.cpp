#include "submissions/judge/libraries.h"

#include <algorithm>

namespace gemmlab::submissions {

std::vector<std::string> opened_libraries(const std::vector<std::string>& before,
                                          const std::vector<std::string>& now) {
  // what g++ -fopenmp and nvcc link, what glibc opens for itself, and the driver's own parts; the
  // submission's own library is among them by its name, which the build step gives
  static const std::vector<std::string> expected{"submission.so", "submission_emulated.so",
                                                 "libgomp.so",    "libstdc++.so",
                                                 "libm.so",       "libc.so",
                                                 "libgcc_s.so",   "libpthread.so",
                                                 "libdl.so",      "librt.so",
                                                 "ld-linux",      "libcudart.",
                                                 "libcuda.so",    "libnvidia-",
                                                 "libatomic.so",  "libnss_",
                                                 "libasan.so",    "libubsan.so",
                                                 "libnvrtc.",     "libcudadebugger"};
  std::vector<std::string> opened;
  for (const std::string& name : now) {
    const bool known = std::find(before.begin(), before.end(), name) != before.end();
    const bool usual = std::any_of(expected.begin(), expected.end(),
                                   [&](const std::string& prefix) { return name.rfind(prefix, 0) == 0; });
    if (!known && !usual) opened.push_back(name);
  }
  return opened;
}

}  // namespace gemmlab::submissions
