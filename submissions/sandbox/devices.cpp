#include "submissions/sandbox/devices.h"

#include <glob.h>

namespace gemmlab::submissions {

std::vector<std::string> gpu_devices() {
  std::vector<std::string> devices;
  for (const char* pattern : {"/dev/nvidia*", "/dev/dxg"}) {
    glob_t found{};
    if (glob(pattern, 0, nullptr, &found) == 0)
      devices.insert(devices.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
  }
  return devices;
}

}  // namespace gemmlab::submissions
