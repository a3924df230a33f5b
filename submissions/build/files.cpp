#include "submissions/build/files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/records/sha256.h"
#include "submissions/build/shim.h"
#include "submissions/plain_text.h"

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

// In a namespace of its own, so that a solve without extern "C" stays what it is, while one with extern "C"
// and other parameters meets this one: both have the one name that C knows.
std::string signature_header(const SolveForm& form, bool cuda) {
  return fmt::format("{}namespace gemmlab_expected {{\n{};\n}}\n", headers_of_signature(form, cuda),
                     signature(form, cuda));
}

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

BuildFiles lay_out(const Submission& submission, const std::string& text, const std::string& scratch,
                   const SolveForm& form) {
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
  files.assembled = scratch + "/gemmlab_assembled.d";
  files.library = scratch + "/submission.so";
  write_readable(files.source, text);
  write_readable(files.signature, signature_header(form, submission.device.cuda));
  write_readable(files.shim_source, allocation_shim());
  return files;
}

Submission read_submission(const std::string& path) {
  const auto no_submission = [&](const std::string& why) {
    return std::invalid_argument(fmt::format("{}: {}", plain_text(path), why));
  };
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) throw no_submission("there is no such file");
  if (fs::is_directory(status)) throw no_submission("this is a folder; one file is expected");
  if (!fs::is_regular_file(status) && !fs::is_symlink(status))
    throw no_submission("this is not an ordinary file");

  Submission submission;
  submission.path = path;
  submission.name = fs::path(path).filename().string();
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".cu") {
    submission.device = Device::kGpu;
  } else if (ending != ".cpp" && ending != ".cc" && ending != ".cxx") {
    throw no_submission("the name ends in neither .cu (for the GPU) nor .cpp, .cc or .cxx (for the CPU)");
  }
  const std::string text = read_regular(path, kLargestSource);
  submission.sha256 = sha256(text);
  const std::uintmax_t bytes = fs::is_symlink(status) ? 0 : fs::file_size(path, error);
  if (fs::is_symlink(status)) {
    submission.refused = "this is a link; the file itself has to be handed in";
  } else if (!error && bytes == 0) {
    submission.refused = "the file is empty";
  } else if (bytes > kLargestSource) {
    submission.refused = fmt::format("the file has {} bytes; allowed: 1 MiB", bytes);
  } else if (text.empty()) {
    submission.refused = "the file cannot be read";
  } else if (text.find('\0') != std::string::npos) {
    submission.refused = "this is no source text: it holds bytes that are 0 (a program, or UTF-16)";
  }
  return submission;
}

}  // namespace gemmlab::submissions
