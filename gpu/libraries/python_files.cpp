#include "gpu/libraries/python_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace gemmlab::gpu {
namespace {

namespace fs = std::filesystem;

/// Those of one Python, PREFIX/lib/python3.12/site-packages: the names that are there, in their order.
std::vector<fs::path> package_folders(const fs::path& prefix) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::directory_iterator at(prefix / "lib", failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename().string().rfind("python3", 0) == 0)
      folders.push_back(at->path() / "site-packages");
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

std::vector<std::string> python_files(const std::string& file) {
  std::vector<std::string> files;
  const char* const path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  std::error_code failed;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty() || !fs::exists(fs::path(folder) / "python3", failed)) continue;
    for (const fs::path& packages : package_folders(fs::path(folder).parent_path())) {
      const std::string found = (packages / file).string();
      const bool known = std::find(files.begin(), files.end(), found) != files.end();
      if (!known && fs::exists(found, failed)) files.push_back(found);
    }
  }
  return files;
}

}  // namespace gemmlab::gpu
