#pragma once

// Which compiler, and with which options.

#include <map>
#include <string>
#include <vector>

#include "submissions/build/build.h"

namespace gemmlab::submissions {

/// The programs of a build; empty where one was not found.
struct Toolchain {
  std::string cxx;
  std::string nvcc;
  std::string nm;
  std::string cuobjdump;
  std::string cuda_libraries;  ///< the folder with nvcc's libcudart.so; empty: where the loader looks anyway
};

/// Looks on PATH; for nvcc also at CUDACXX and in the usual folders; for cuobjdump also beside nvcc.
Toolchain find_toolchain(const Device& device);

/// Where things lie in the scratch folder.
struct BuildFiles {
  std::string source;     ///< the student's file, copied
  std::string signature;  ///< header that is read before it
  std::string shim_source;
  std::string shim;
  std::string dependencies;  ///< what was included
  std::string assembled;     ///< what the assembler read (CPU)
  std::string library;
  std::string emulated_source;  ///< the rewritten copy
  std::string emulated_object;
  std::string emulated_library;
  std::string emulated_headers;  ///< folder of CUDA's words for g++
  std::string emulator;          ///< the archive that it is linked with
  std::string fibers;            ///< the same of Boost's fibers
};

/// What programs of a build may see of our environment, and a folder for their temporary files.
std::map<std::string, std::string> build_environment(const Toolchain& tools, const std::string& temporary);

/// `emulated`: to stand before the emulator's runtime, not CUDA's.
std::vector<std::string> shim_command(const Toolchain& tools, const BuildFiles& files, const Device& device,
                                      bool emulated);
/// For nvcc: device code that it links with CUDA's device runtime, for kernels that launch kernels.
inline constexpr const char* kSeparately = "-rdc=true";
/// Compiles and links. `cuda_arch` as "90a"; empty: the toolkit's default.
std::vector<std::string> build_command(const Toolchain& tools, const BuildFiles& files, const Device& device,
                                       const std::string& cuda_arch);
/// CPU code once more, without optimisation: variables lie in memory, where threads that share one meet.
std::vector<std::string> plain_command(const Toolchain& tools, const BuildFiles& files,
                                       const std::string& library);
/// A program of it whose threads are watched, in three steps: the `hand_in` and the `source` that it is linked with are compiled; without -fopenmp behind,
/// which would bring in libgomp.
std::vector<std::vector<std::string>> thread_program_commands(const Toolchain& tools, const BuildFiles& files,
                                                              const std::string& hand_in,
                                                              const std::string& source,
                                                              const std::string& program);
/// Through nvcc, to hear what it says: the object is not used.
std::vector<std::string> nvcc_check_command(const Toolchain& tools, const BuildFiles& files,
                                            const std::string& cuda_arch);
/// The kernels alone, as the card `cuda_arch` runs them, into `cubin`.
std::vector<std::string> cubin_command(const Toolchain& tools, const BuildFiles& files,
                                       const std::string& cuda_arch, const std::string& cubin);
/// Two steps: linking by -fsanitize=thread would bring in a runtime of its own.
std::vector<std::string> emulation_compile_command(const Toolchain& tools, const BuildFiles& files);
std::vector<std::string> emulation_link_command(const Toolchain& tools, const BuildFiles& files);
/// The same without what only the judge needs, for the student's own machine.
std::string shown_command(const Submission& submission, const std::string& cuda_arch, bool separately);
/// The same for the emulator, where there is no nvcc.
std::string shown_emulation_command(const Submission& submission);

}  // namespace gemmlab::submissions
