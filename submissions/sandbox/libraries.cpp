// The shared libraries that every program here is linked with, and a submission, too.

#include <link.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "submissions/sandbox/sandbox.h"

namespace gemmlab::submissions {
namespace {

namespace fs = std::filesystem;

/// Their names as programs ask for them, up to the number. What g++ -fopenmp links, what sanitizers add, and glibc's own
/// checks of its heap.
constexpr const char* kShared[] = {
    "libc.so.",    "libm.so.",     "libmvec.so.", "libstdc++.so.",        "libgcc_s.so.",
    "libgomp.so.", "libdl.so.",    "librt.so.",   "libatomic.so.",        "libpthread.so.",
    "libasan.so.", "libubsan.so.", "ld-linux",    "libc_malloc_debug.so."};

bool is_one(const std::string& name) {
  return std::any_of(std::begin(kShared), std::end(kShared),
                     [&](const char* start) { return name.rfind(start, 0) == 0; });
}

/// Folders from which this program has such a library.
std::set<fs::path> folders() {
  std::set<fs::path> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const fs::path file = line.substr(slash);
    // glibc's own were called libc-2.31.so once
    if (is_one(file.filename()) || file.filename().string().rfind("libc-", 0) == 0)
      found.insert(file.parent_path());
  }
  return found;
}

/// The loader, as the program itself names it.
std::string interpreter() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* to) {
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& header = program->dlpi_phdr[i];
          if (header.p_type == PT_INTERP)
            *static_cast<std::string*>(to) =
                reinterpret_cast<const char*>(program->dlpi_addr + header.p_vaddr);
        }
        return 1;  // the first is the program; no other is looked at
      },
      &path);
  return path;
}

/// Beginnings of their files' names.
constexpr const char* kBlas[] = {
    "libblas",     "libcblas",  "libopenblas",   "libblis",   "libflame",         "libatlas", "libsatlas",
    "libtatlas",   "libmkl_",   "liblapack",     "libdnnl",   "libmkldnn",        "libarmpl", "libgslcblas",
    "libgotoblas", "libcublas", "libeigen_blas", "libnvblas", "libscipy_openblas"};

bool multiplies(const std::string& name) {
  return std::any_of(std::begin(kBlas), std::end(kBlas),
                     [&](const char* start) { return name.rfind(start, 0) == 0; });
}

/// Adds those in a folder and, some levels down, in its own.
void find_blas(const fs::path& folder, int levels, std::vector<std::string>& found) {
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    const fs::file_status status = entry.symlink_status(unreadable);
    if (fs::is_directory(status) && levels > 0) find_blas(entry.path(), levels - 1, found);
    if (fs::is_regular_file(status) && multiplies(entry.path().filename())) found.push_back(entry.path());
  }
}

}  // namespace

std::vector<std::string> toolchain_folders() {
  std::vector<std::string> there;
  for (const char* folder :
       {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
        "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"}) {
    if (fs::exists(folder)) there.emplace_back(folder);
  }
  return there;
}

std::vector<std::string> blas_libraries() {
  constexpr int kLevels = 3;
  static const std::vector<std::string> found = [] {
    std::vector<std::string> all;
    for (const char* folder : {"/usr/lib", "/usr/lib64", "/usr/local", "/lib", "/lib64"}) {
      if (!fs::is_symlink(folder)) find_blas(folder, kLevels, all);
    }
    return all;
  }();
  return found;
}

std::vector<std::string> system_libraries() {
  std::vector<std::string> all{"/etc/ld.so.cache"};
  if (const std::string loader = interpreter(); !loader.empty()) all.push_back(loader);
  for (const fs::path& folder : folders()) {
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
      const std::string name = entry.path().filename();
      if (is_one(name)) all.push_back(entry.path());
    }
  }
  return all;
}

}  // namespace gemmlab::submissions
