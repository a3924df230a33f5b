#include "submissions/program/work_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "submissions/sandbox/remove.h"

namespace gemmlab::submissions {

namespace fs = std::filesystem;

WorkFolder::WorkFolder() {
  path_ = (fs::temp_directory_path() / "gemmlab-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr)
    throw std::runtime_error(fmt::format("no folder can be made in {}: {}",
                                         fs::temp_directory_path().string(), std::strerror(errno)));
  ::chmod(path_.c_str(), 0711);
  fs::copy_file("/proc/self/exe", program());
  const fs::path beside = fs::canonical("/proc/self/exe").parent_path();
  fs::copy_file(beside / "gemmlab-callee", callee());
  if (fs::exists(beside / "gemmlab-callee-gpu")) fs::copy_file(beside / "gemmlab-callee-gpu", gpu_callee());
  for (const std::string& one : {program(), callee(), gpu_callee()}) ::chmod(one.c_str(), 0755);
}

WorkFolder::~WorkFolder() {
  remove_folder(path_);
}

}  // namespace gemmlab::submissions
