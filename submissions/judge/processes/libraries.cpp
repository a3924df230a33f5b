#include "submissions/judge/processes/libraries.h"

#include <algorithm>
#include <sstream>

namespace gemmlab::submissions {

std::vector<MappedCode> mapped_code(std::istream& maps) {
  std::vector<MappedCode> all;
  for (std::string line; std::getline(maps, line);) {
    // "from-to rights offset device inode   path"
    std::istringstream words(line);
    std::string range, rights, offset, device, inode, path;
    words >> range >> rights >> offset >> device >> inode;
    std::getline(words >> std::ws, path);
    if (rights.find('x') == std::string::npos || path.rfind("[v", 0) == 0) continue;  // [vdso], [vsyscall]
    MappedCode one{inode == "0" ? std::string() : device + " " + inode, path.substr(path.rfind('/') + 1),
                   path};
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  return all;
}

std::vector<MappedCode> foreign_code(const std::vector<MappedCode>& before,
                                     const std::vector<MappedCode>& now) {
  std::vector<MappedCode> foreign;
  std::string own;  // the one file of that name
  for (const MappedCode& one : now) {
    if (std::find(before.begin(), before.end(), one) != before.end()) continue;
    const bool is_own = one.name == "submission.so" || one.name == "submission_emulated.so";
    if (is_own && own.empty()) own = one.file;
    const bool linked = one.name.rfind("libmvec.so", 0) == 0;  // by -ffast-math and the like
    if (one.file.empty() || !(linked || (is_own && one.file == own))) foreign.push_back(one);
  }
  return foreign;
}

std::vector<std::string> opened_libraries(const std::vector<MappedCode>& before,
                                          const std::vector<MappedCode>& now, const std::string& scratch,
                                          const std::string& library) {
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
  for (const auto& [file, name, path] : now) {
    if (name.find(".so") == std::string::npos) continue;
    const bool known =
        std::any_of(before.begin(), before.end(), [&](const MappedCode& one) { return one.name == name; });
    const bool usual = std::any_of(expected.begin(), expected.end(),
                                   [&](const std::string& prefix) { return name.rfind(prefix, 0) == 0; });
    const bool made = !scratch.empty() && path.rfind(scratch + "/", 0) == 0 && path != library;
    if (!known && (made || !usual) && std::find(opened.begin(), opened.end(), name) == opened.end())
      opened.push_back(name);
  }
  return opened;
}

}  // namespace gemmlab::submissions
