#include "cpu/libraries/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "core/session_row.h"
#include "cpu/device/variants.h"

namespace gemmlab::cpu {
namespace {

std::string canonical(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? std::string() : std::string(resolved);
}

/// A variable's value; empty where it is not set.
std::string setting_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* listed = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream paths(listed);
    for (std::string folder; std::getline(paths, folder, ':');) {
      if (!folder.empty()) folders.push_back(folder);
    }
  }
#if defined(__x86_64__)
  folders.push_back("/usr/lib/x86_64-linux-gnu");
#elif defined(__aarch64__)
  folders.push_back("/usr/lib/aarch64-linux-gnu");
#endif
  folders.insert(folders.end(),
                 {"/usr/lib64", "/usr/lib", "/usr/local/lib64", "/usr/local/lib",
                  "/opt/intel/oneapi/mkl/latest/lib", "/opt/intel/oneapi/mkl/latest/lib/intel64"});
  return folders;
}

/// Which reference a file serves: one that served two would make them one measurement under two names.
void claim(const std::string& path, const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::string> owners;
  const std::lock_guard lock(mutex);
  const auto [owner, first] = owners.emplace(path, name);
  if (!first && owner->second != name) {
    throw std::runtime_error(name + " and " + owner->second + " are both " + path +
                             "; they must be two libraries");
  }
}

void* open_file(const std::string& file, const std::string& name) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(name + " cannot be opened: " + dlerror());
  return handle;
}

}  // namespace

const std::string& Library::path() const {
  if (!searched_) path_ = find();
  searched_ = true;
  return path_;
}

std::string Library::find() const {
  if (const std::string chosen = setting_of(search_.environment.c_str()); !chosen.empty()) {
    return canonical(chosen);
  }
  if (const std::string peers = peers_folder(); !search_.peer.empty() && !peers.empty()) {
    if (std::string path = canonical(peers + "/lib/" + search_.peer); !path.empty()) return path;
  }
  for (const auto& file : search_.files) {
    for (const auto& folder : library_folders()) {
      if (std::string path = canonical(folder + "/" + file); !path.empty()) return path;
    }
  }
  return {};
}

std::string Library::missing() const {
  if (!path().empty()) return {};
  if (const std::string chosen = setting_of(search_.environment.c_str()); !chosen.empty()) {
    return search_.environment + " names " + chosen + ", which does not exist";
  }
  const std::string& file = search_.files.empty() ? search_.peer : search_.files.back();
  return file + " was not found; " + search_.advice;
}

void* Library::open(const std::string& kernel) {
  if (const auto opened = handles_.find(kernel); opened != handles_.end()) return opened->second;
  if (const std::string reason = missing(); !reason.empty()) throw std::runtime_error(reason);
  claim(path(), search_.name);
  // the file itself serves the first kernel only
  void* handle = handles_.empty() ? open_file(path(), search_.name) : open_copy();
  handles_.emplace(kernel, handle);
  return handle;
}

void* Library::open_copy() const {
  // the loader knows a file by its inode, so a copy in memory is a library of its own, and leaves
  // no file behind
  const int copy = memfd_create(search_.name.c_str(), MFD_CLOEXEC);
  if (copy < 0) throw std::runtime_error(search_.name + ": no memory file for a second copy");
  std::ifstream original(path(), std::ios::binary);
  std::vector<char> piece(1 << 20);
  while (original.read(piece.data(), static_cast<std::streamsize>(piece.size())), original.gcount() > 0) {
    if (write(copy, piece.data(), static_cast<std::size_t>(original.gcount())) != original.gcount()) {
      close(copy);
      throw std::runtime_error(search_.name + ": no memory for a second copy of " + path());
    }
  }
  // once opened, the descriptor stays: a later copy with the same number would be taken for this one
  // by its name
  try {
    return open_file("/proc/self/fd/" + std::to_string(copy), search_.name);
  } catch (...) {
    close(copy);
    throw;
  }
}

void* Library::address(const char* symbol_name, const std::string& kernel, bool required) {
  void* found = dlsym(open(kernel), symbol_name);
  if (found == nullptr && required) {
    throw std::runtime_error(path_ + " is not " + search_.name + ": it has no " + symbol_name);
  }
  return found;
}

std::string peers_folder() {
  if (std::string chosen = setting_of("GEMMLAB_PEERS"); !chosen.empty()) return chosen;
  const std::string root = setting_of("GEMMLAB_ROOT");
  return root.empty() ? root : root + "/build/peers";
}

Setting::Setting(const char* name, const std::optional<std::string>& value) : name_(name) {
  if (const char* before = std::getenv(name)) before_ = before;
  value ? setenv(name, value->c_str(), 1) : unsetenv(name);
}

Setting::~Setting() {
  before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_);
}

ParameterSpec kernel_parameter(const char* avx2_name, const char* avx512_name) {
  std::vector<ParameterValue> kernels = {std::string(kAutomaticKernel)};
  if (machine_has("avx2")) kernels.emplace_back(std::string(avx2_name));
  if (machine_has("avx512")) kernels.emplace_back(std::string(avx512_name));
  return choice("kernel",
                "the processor whose kernel the library runs; auto leaves the choice to the library", kernels,
                kernels.back());
}

std::string file_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = canonical(info.dli_fname);
  return path.empty() ? info.dli_fname : path;
}

}  // namespace gemmlab::cpu
