#pragma once

// From a student's file to a shared library.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

/// This machine lacks what the submission needs: a compiler or a GPU. Nobody's mistake, so no verdict.
struct CannotBeJudged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One file handed in. ".cu" runs on the GPU, ".cpp" (".cc", ".cxx", ".c") on the CPU.
struct Submission {
  std::string path;
  std::string name;  ///< the file's name without folder: what messages and pages call it
  Device device = Device::kCpu;
  std::string sha256;
};

/// Reads the file. Throws std::invalid_argument in one line: missing, a folder, empty, over 1 MiB, another
/// ending.
Submission read_submission(const std::string& path);

/// What the compiler said of one place.
struct CompilerMessage {
  std::string kind;  ///< "error" or "warning"
  int line = 0;      ///< of the student's file; 0: elsewhere (the linker)
  int column = 0;
  std::string text;
};

/// One kernel, as ptxas reports it.
struct KernelReport {
  std::string name;  ///< demangled, without arguments
  int registers = 0;
  std::int64_t spill_bytes = 0;  ///< stores and loads
  std::int64_t static_shared_bytes = 0;
  std::int64_t stack_bytes = 0;
};

struct Build {
  bool ok = false;
  std::string
      reason;  ///< why not, in one line: "line 12: expected ';'", "no function solve", "it took over 120 s"
  std::string hint;     ///< what to do about it
  std::string command;  ///< as a student would type it, with the file's name alone
  std::string library;  ///< path of the shared library
  double seconds = 0;
  std::vector<CompilerMessage> messages;  ///< with the student's line; the first 50
  std::vector<KernelReport> kernels;      ///< GPU
};

/// Compiles in `scratch`, confined. GPU code for `cuda_arch` ("90a"; empty: no GPU here, compile for the
/// toolkit's default). Never throws over what the student wrote.
Build build(const Submission& submission, const Rule& rule, const std::string& scratch,
            const std::string& cuda_arch);

}  // namespace gemmlab::submissions
