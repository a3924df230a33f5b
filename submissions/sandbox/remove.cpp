#include "submissions/sandbox/remove.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

namespace gemmlab::submissions {
namespace {

/// Names in an open folder, which stays open.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* entries = fdopendir(dup(folder));
  if (entries == nullptr) return names;
  rewinddir(entries);
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(entries);
  return names;
}

/// Its owner may take all rights back.
int opened(int above, const std::string& name) {
  [[maybe_unused]] const int changed = fchmodat(above, name.c_str(), 0700, 0);  // if not, openat says so
  return openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_folder(int above, const std::string& name) {
  struct stat facts {};
  return fstatat(above, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode);
}

}  // namespace

void remove_folder(const std::string& path) {
  if (path.empty() || !is_folder(AT_FDCWD, path)) return;
  const int top = opened(AT_FDCWD, path);
  if (top < 0) return;
  std::vector<std::string> left = names_in(top);
  long moved = 0;
  while (!left.empty()) {
    const std::string name = left.back();
    left.pop_back();
    if (!is_folder(top, name)) {
      unlinkat(top, name.c_str(), 0);
      continue;
    }
    const int folder = opened(top, name);
    if (folder < 0) continue;
    // folders within it are moved up, so that none is deeper than two
    for (const std::string& inner : names_in(folder)) {
      if (unlinkat(folder, inner.c_str(), 0) == 0) continue;
      [[maybe_unused]] const int changed = fchmodat(folder, inner.c_str(), 0700, 0);
      const std::string up = ".moved-" + std::to_string(moved++);
      if (renameat(folder, inner.c_str(), top, up.c_str()) == 0) left.push_back(up);
    }
    close(folder);
    unlinkat(top, name.c_str(), AT_REMOVEDIR);
  }
  close(top);
  rmdir(path.c_str());
}

}  // namespace gemmlab::submissions
