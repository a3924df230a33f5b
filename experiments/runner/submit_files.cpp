#include "experiments/runner/submit_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "experiments/runner/usage_error.h"

namespace gemmlab::runner {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
}

std::vector<std::string> submission_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      const std::string ending = entry.path().extension().string();
      std::error_code odd;  // a loop of links, say: no submission
      if (entry.is_regular_file(odd) &&
          (ending == ".cpp" || ending == ".cu" || ending == ".cc" || ending == ".cxx"))
        found.push_back(entry.path().string());
    }
    if (error) throw UsageError(fmt::format("{}: the folder cannot be read: {}", path, error.message()));
    if (found.empty())
      throw UsageError(fmt::format("{}: no submissions in it; they end in .cpp or .cu", path));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(fs::path(file).filename().string());
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw UsageError(fmt::format("two submissions are called {}; each needs a name of its own", *twice));
  return files;
}

WorkFolder::WorkFolder() {
  path_ = (fs::temp_directory_path() / "gemmlab-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr)
    throw std::runtime_error(fmt::format("no folder can be made in {}: {}",
                                         fs::temp_directory_path().string(), std::strerror(errno)));
  ::chmod(path_.c_str(), 0711);
  fs::copy_file("/proc/self/exe", program());
  ::chmod(program().c_str(), 0755);
}
WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace gemmlab::runner
