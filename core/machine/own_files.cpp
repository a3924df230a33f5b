#include "core/machine/own_files.h"

#include <cstdlib>
#include <filesystem>
#include <functional>

namespace fs = std::filesystem;

namespace gemmlab {
namespace {

bool is_root(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "experiments" / "quick.toml", error) && fs::exists(folder / "data", error);
}

/// The nearest folder from this one upwards that is one; empty where none is.
fs::path above(fs::path folder, const std::function<bool(const fs::path&)>& is_one) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (is_one(folder)) return folder;
    if (folder == folder.root_path()) break;
  }
  return {};
}

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::string source_root() {
  if (const char* given = std::getenv("GEMMLAB_ROOT")) return given;
  std::error_code error;
  fs::path root = above(program_folder(), is_root);
  if (root.empty()) root = above(fs::current_path(error), is_root);
  return root.empty() ? "." : root.string();
}

std::string work_root() {
  const char* given = std::getenv("GEMMLAB_WORK");
  return given != nullptr && *given != '\0' ? given : source_root();
}

std::string built_file(const std::string& name) {
  const fs::path folder = program_folder();
  const fs::path found = above(folder, [&](const fs::path& one) {
    std::error_code error;
    return fs::exists(one / name, error);
  });
  return (found.empty() ? folder.parent_path() / name : found / name).string();
}

}  // namespace gemmlab
