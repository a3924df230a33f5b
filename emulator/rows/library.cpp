#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "core/machine/own_files.h"
#include "emulated_rows.h"
#include "emulator/rows/exported.h"
#include "gpu/device/dynamic_library.h"
#include "runner/commands/emulated.h"

namespace gemmlab::emulation {
namespace {

std::string library_path;  // empty: this build's

const gpu::DynamicLibrary& library() {
  static const gpu::DynamicLibrary opened(
      {library_path.empty() ? built_file("emulator/rows/libgemmlab_gpu_emulated.so") : library_path});
  return opened;
}

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

ExportedRows exported_rows() {
  return library().function<ExportRows>(kExportRows)();
}

}  // namespace

const std::vector<const Implementation*>& emulated_rows() {
  static const std::vector<const Implementation*> rows = [] {
    if (!unavailable().empty()) return std::vector<const Implementation*>();
    const ExportedRows exported = exported_rows();
    return std::vector<const Implementation*>(exported.rows, exported.rows + exported.count);
  }();
  return rows;
}

std::string counted(const Implementation& row, const Instance& instance, const Parameters& parameters,
                    std::uint64_t blocks) {
  return exported_rows().counted(row, instance, parameters, blocks);
}

std::string unavailable() {
  if (!library().found()) return "no GPU kernel can be emulated: " + library().why();
  if (!is_on_path("addr2line"))
    return "no GPU kernel can be emulated: addr2line is not on PATH (apt install binutils)";
  return {};
}

const std::map<std::string, std::string>& left_out() {
#define GEMMLAB_LEFT_OUT(name, reason) {"gpu." #name, reason},
  static const std::map<std::string, std::string> reasons = {GEMMLAB_LEFT_OUT_ROWS(GEMMLAB_LEFT_OUT)};
#undef GEMMLAB_LEFT_OUT
  return reasons;
}

void use_library(const std::string& path) {
  library_path = path;
}

}  // namespace gemmlab::emulation
