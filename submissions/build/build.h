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
  std::string sha256;  ///< of what could be read of it
  std::string
      refused;  ///< why it is not compiled: "the file is empty"; its author's mistake, as one in its text
};

/// Reads the file. An empty one, one over 1 MiB, one that is no text, one that cannot be read and a link, which is never
/// followed, are `refused`. Throws std::invalid_argument in one line over what is no submission: missing, a folder or
/// anything else that is not a file, another ending.
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
  std::string hint;              ///< what to do about it
  std::string command;           ///< as a student would type it, with the file's name alone
  std::string library;           ///< path of the shared library; empty where only the other one was asked for
  std::string plain_library;     ///< the same without optimisation, of CPU code with threads; empty: none
  std::string thread_program;    ///< the same as a program that says which threads race; empty: none
  std::string emulated_library;  ///< GPU code as this processor runs it; empty where it was not asked for
  std::string emulated_source;  ///< name of the file that it was compiled from, by which places are looked up
  std::string not_emulated;     ///< why it cannot be had: "line 41: inline PTX cannot be run without a GPU"
  double seconds = 0;
  std::vector<CompilerMessage> messages;  ///< with the student's line; the first 50
  std::vector<KernelReport> kernels;      ///< GPU
  std::vector<CompilerMessage> unset;     ///< warnings of g++ that a variable is read before it is set
};

/// What GPU code is compiled for.
struct GpuTarget {
  std::string cuda_arch;  ///< "90a"; empty: the toolkit's default
  bool device = true;     ///< for the card
  bool emulated = false;  ///< for this processor
};

/// Compiles in `scratch`, confined. What is compiled for this processor alone also goes through nvcc where that
/// is there: it knows registers and CUDA's rules. Never throws over what the student wrote.
Build build(const Submission& submission, const Rule& rule, const std::string& scratch,
            const GpuTarget& target);

/// A submission's kernels as a card runs them.
struct CardCode {
  std::vector<KernelReport> kernels;
  std::string sass;  ///< as cuobjdump lists it; empty: not known
};

/// For the card `cuda_arch`, of what build() took in the same `scratch`; empty where nvcc or cuobjdump is missing, where
/// either fails, and where the listing is longer than what is kept of an output. Confined, as build() is.
CardCode card_code(const Submission& submission, const Rule& rule, const std::string& scratch,
                   const std::string& cuda_arch);

}  // namespace gemmlab::submissions
