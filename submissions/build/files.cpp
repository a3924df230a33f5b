#include "submissions/build/files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/point.h"
#include "submissions/build/shim.h"

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

// In a namespace of its own, so that a solve without extern "C" stays what it is, while one with extern "C"
// and other parameters meets this one: both have the one name that C knows.
constexpr const char* kSignatureHeader =
    "namespace gemmlab_expected {\n"
    "extern \"C\" void solve(const float* A, const float* B, float* C, int M, int N, int K);\n"
    "}\n";

/// A name that neither a compiler nor the shell behind nvcc takes for something else.
std::string safe_name(const std::string& name) {
  const bool plain =
      !name.empty() && name[0] != '-' && name[0] != '.' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") ==
          std::string::npos;
  return plain ? name : "submission" + fs::path(name).extension().string();
}

}  // namespace

std::string read_regular(const std::string& path, std::uintmax_t most) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)) || fs::file_size(path, error) > most) return {};
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_readable(const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("{}: cannot be written", path));
  fs::permissions(
      path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read);
}

BuildFiles lay_out(const Submission& submission, const std::string& text, const std::string& scratch) {
  const fs::path folder = fs::path(scratch) / "source";
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                              fs::perms::others_read | fs::perms::others_exec);
  BuildFiles files;
  files.source = (folder / safe_name(submission.name)).string();
  files.signature = scratch + "/gemmlab_signature.h";
  files.shim_source = scratch + "/gemmlab_allocation_shim.cpp";
  files.shim = scratch + "/gemmlab_allocation_shim.o";
  files.dependencies = scratch + "/gemmlab_dependencies.d";
  files.library = scratch + "/submission.so";
  write_readable(files.source, text);
  write_readable(files.signature, kSignatureHeader);
  write_readable(files.shim_source, allocation_shim());
  return files;
}

Submission read_submission(const std::string& path) {
  const auto refused = [&](const std::string& why) {
    return std::invalid_argument(fmt::format("{}: {}", path, why));
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw refused("there is no such file");
  if (fs::is_directory(status)) throw refused("this is a folder; one file is expected");
  if (!fs::is_regular_file(status)) throw refused("this is not an ordinary file");

  Submission submission;
  submission.path = path;
  submission.name = fs::path(path).filename().string();
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".cu") {
    submission.device = Device::kGpu;
  } else if (ending != ".cpp" && ending != ".cc" && ending != ".cxx") {
    throw refused("the name ends in neither .cu (for the GPU) nor .cpp, .cc or .cxx (for the CPU)");
  }
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) throw refused("the file cannot be read");
  if (bytes == 0) throw refused("the file is empty");
  if (bytes > kLargestSource) throw refused(fmt::format("the file has {} bytes; allowed: 1 MiB", bytes));
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || text.str().empty()) throw refused("the file cannot be read");
  submission.sha256 = sha256(text.str());
  return submission;
}

}  // namespace gemmlab::submissions
