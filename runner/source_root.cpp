#include "runner/source_root.h"

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace gemmlab::runner {
namespace {

bool is_root(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "experiments" / "quick.toml", error) && fs::exists(folder / "data", error);
}

fs::path root_above(fs::path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (is_root(folder)) return folder;
    if (folder == folder.root_path()) break;
  }
  return {};
}

}  // namespace

std::string source_root() {
  if (const char* given = std::getenv("GEMMLAB_ROOT")) return given;
  std::error_code error;
  fs::path root = root_above(fs::read_symlink("/proc/self/exe", error).parent_path());
  if (root.empty()) root = root_above(fs::current_path(error));
  return root.empty() ? "." : root.string();
}

}  // namespace gemmlab::runner
