#include "submissions/build/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "emulator/compile.h"
#include "submissions/build/files.h"
#include "submissions/build/shim.h"

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_program(const std::string& path) {
  std::error_code error;
  return !path.empty() && fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::string on_path(const std::string& name) {
  const std::string path = variable("PATH");
  std::istringstream folders(path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (!folder.empty() && folder[0] == '/' && is_program(candidate)) return candidate;
  }
  return {};
}

std::string find_nvcc() {
  for (const std::string& candidate :
       {on_path("nvcc"), variable("CUDACXX"), std::string("/usr/local/cuda/bin/nvcc"),
        std::string("/opt/cuda/bin/nvcc")}) {
    if (is_program(candidate)) return candidate;
  }
  return {};
}

/// nvcc may be reached through links; its libraries lie beside the program itself.
std::string libraries_of(const std::string& nvcc) {
  std::error_code error;
  const fs::path root = fs::canonical(nvcc, error).parent_path().parent_path();
  if (error) return {};
  std::vector<fs::path> folders{root / "lib64"};
  for (const auto& target : fs::directory_iterator(root / "targets", error)) {
    folders.push_back(target.path() / "lib");
  }
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "libcudart.so", error)) return fs::canonical(folder, error).string();
  }
  return {};
}

// What a student would type, too.
const std::vector<std::string> kCpuOptions{"-std=c++20", "-O3",     "-march=native", "-fopenmp",
                                           "-fPIC",      "-shared", "-Wall",         "-Wextra"};
// -g1: lines for the linker's messages and for what a crash leaves; the code is the same.
const std::vector<std::string> kGccExtras{"-g1", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret",
                                          "-fmax-errors=20"};

/// The oldest card that what students write today is meant for: toolkits from 11 to 13 know it. And the one of code that names what older
/// cards have not.
const std::string kEmulatedArch = "80", kEmulatedArchOfClusters = "90a";

std::string emulated_arch(const std::string& source) {
  static constexpr const char* kOfClusters[] = {
      "cluster",    "wgmma",          "cp.async.bulk",      "cuTensorMap",
      "setmaxnreg", "griddepcontrol", "cudaGridDependency", "fence.proxy",
      "try_wait",   "stmatrix"};
  const bool found = std::any_of(std::begin(kOfClusters), std::end(kOfClusters),
                                 [&](const char* word) { return source.find(word) != std::string::npos; });
  return found ? kEmulatedArchOfClusters : kEmulatedArch;
}

std::vector<std::string> gpu_options(const std::string& cuda_arch) {
  std::vector<std::string> options{"-std=c++17", "-O3"};
  if (!cuda_arch.empty()) options.push_back("-arch=sm_" + cuda_arch);
  for (const char* option : {"-Xptxas", "-v", "-lineinfo", "--cudart", "shared", "-shared"}) {
    options.emplace_back(option);
  }
  return options;
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Options for the linker, each behind an -Xlinker.
void append_for_linker(std::vector<std::string>& command, const std::vector<std::string>& options) {
  for (const std::string& option : options) append(command, {"-Xlinker", option});
}

std::vector<std::string> linker_options(const Toolchain& tools, const Device& device, bool emulated) {
  std::vector<std::string> options{"-z",
                                   "defs"};  // an unresolved name is an error now, not when it is called
  if (device.cuda && !emulated && !tools.cuda_libraries.empty()) {
    append(options, {"-rpath", tools.cuda_libraries});
  }
  for (const std::string& function : wrapped_functions(device, emulated))
    options.push_back("--wrap=" + function);
  return options;
}

/// What both of nvcc's commands begin with.
std::vector<std::string> nvcc_command(const Toolchain& tools, const std::vector<std::string>& options) {
  std::vector<std::string> command{tools.nvcc};
  append(command, options);
  append(command, {"-Xcompiler", fmt::format("-fPIC,-Wall,-Wextra,{}", fmt::join(kGccExtras, ","))});
  return command;
}

std::vector<std::string> read_before(const BuildFiles& files) {
  return {"-include", files.signature, "-MD", "-MF", files.dependencies};
}

/// The assembler's own list: what asm(".incbin ...") reads no preprocessor sees.
std::string list_assembled(const BuildFiles& files) {
  return "-Wa,--MD," + files.assembled;
}

}  // namespace

Toolchain find_toolchain(const Device& device) {
  Toolchain tools;
  tools.cxx = on_path("g++");
  if (tools.cxx.empty()) tools.cxx = on_path("c++");
  tools.nm = on_path("nm");
  if (device.cuda) {
    tools.nvcc = find_nvcc();
    if (!tools.nvcc.empty()) tools.cuda_libraries = libraries_of(tools.nvcc);
    tools.cuobjdump = on_path("cuobjdump");
    const std::string beside = fs::path(tools.nvcc).replace_filename("cuobjdump");
    if (tools.cuobjdump.empty() && !tools.nvcc.empty() && is_program(beside)) tools.cuobjdump = beside;
  }
  return tools;
}

std::map<std::string, std::string> build_environment(const Toolchain& tools, const std::string& temporary) {
  // Nothing that leads a compiler to further headers or libraries (CPATH, LIBRARY_PATH): the same file builds
  // the same way everywhere.
  std::map<std::string, std::string> environment{{"LC_ALL", "C"}, {"TMPDIR", temporary}, {"HOME", temporary}};
  std::string path = variable("PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  if (!tools.nvcc.empty()) path += ":" + fs::path(tools.nvcc).parent_path().string();
  environment["PATH"] = path;
  for (const char* name : {"LD_LIBRARY_PATH", "NVCC_CCBIN"}) {
    if (const std::string value = variable(name); !value.empty()) environment[name] = value;
  }
  return environment;
}

std::vector<std::string> shim_command(const Toolchain& tools, const BuildFiles& files, const Device& device,
                                      bool emulated) {
  // Without built-in knowledge of malloc, since the shim is what stands in its place.
  std::vector<std::string> command{tools.cxx,      "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden",
                                   "-fno-builtin", "-c",         "-x",  "c++",   files.shim_source,
                                   "-o",           files.shim};
  if (device.cuda) command.push_back("-DGEMMLAB_WRAP_CUDA");
  if (emulated) command.push_back("-DGEMMLAB_WRAP_EMULATOR");
  return command;
}

std::vector<std::string> build_command(const Toolchain& tools, const BuildFiles& files, const Device& device,
                                       const std::string& cuda_arch) {
  std::vector<std::string> command;
  if (!device.cuda) {
    command.push_back(tools.cxx);
    append(command, kCpuOptions);
    append(command, kGccExtras);
    append(command, read_before(files));
    append(command, {list_assembled(files), "-x", "c++", files.source, "-x", "none"});
  } else {
    command = nvcc_command(tools, gpu_options(cuda_arch));
    append(command, read_before(files));
    command.push_back(files.source);
  }
  append_for_linker(command, linker_options(tools, device, false));
  append(command, {files.shim, "-o", files.library});
  return command;
}

std::vector<std::string> plain_command(const Toolchain& tools, const BuildFiles& files,
                                       const std::string& library) {
  std::vector<std::string> command = build_command(tools, files, Device::kCpu, "");
  command.back() = library;  // behind -o
  command.insert(command.end(), {"-O0", "-w"});
  return command;
}

std::vector<std::vector<std::string>> thread_program_commands(const Toolchain& tools, const BuildFiles& files,
                                                              const std::string& hand_in,
                                                              const std::string& source,
                                                              const std::string& program) {
  const std::string its = program + ".hand_in.o", ours = program + ".o";
  return {{tools.cxx, "-std=c++20", "-O0", "-march=native", "-fopenmp", "-g1", "-w", "-fsanitize=thread",
           "-include", files.signature, "-c", hand_in, "-o", its},
          {tools.cxx, "-std=c++17", "-O1", "-w", "-fsanitize=thread", "-c", source, "-o", ours},
          {tools.cxx, its, ours, "-fsanitize=thread", "-static-libtsan", "-pthread", "-o", program}};
}

std::vector<std::string> nvcc_check_command(const Toolchain& tools, const BuildFiles& files,
                                            const std::string& cuda_arch) {
  std::vector<std::string> command = nvcc_command(
      tools, {"-std=c++17", "-O3",
              "-arch=sm_" +
                  (cuda_arch.empty() ? emulated_arch(read_regular(files.source, kLargestSource)) : cuda_arch),
              "-Xptxas", "-v", "-c"});
  append(command, read_before(files));
  append(command, {files.source, "-o", files.emulated_object});
  return command;
}

std::vector<std::string> cubin_command(const Toolchain& tools, const BuildFiles& files,
                                       const std::string& cuda_arch, const std::string& cubin) {
  std::vector<std::string> command =
      nvcc_command(tools, {"-std=c++17", "-O3", "-arch=sm_" + cuda_arch, "-Xptxas", "-v", "-cubin"});
  append(command, read_before(files));
  append(command, {files.source, "-o", cubin});
  return command;
}

std::vector<std::string> emulation_compile_command(const Toolchain& tools, const BuildFiles& files) {
  std::vector<std::string> command{tools.cxx};
  append(command, emulation::emulation_flags());
  append(command, kGccExtras);
  append(command, {"-Wall", "-Wextra", "-I", files.emulated_headers});
  // an assert prints the file's name, not our folder
  command.push_back(
      fmt::format("-fmacro-prefix-map={}/=", fs::path(files.emulated_source).parent_path().string()));
  append(command, read_before(files));
  append(command,
         {list_assembled(files), "-c", "-x", "c++", files.emulated_source, "-o", files.emulated_object});
  return command;
}

std::vector<std::string> emulation_link_command(const Toolchain& tools, const BuildFiles& files) {
  std::vector<std::string> command{tools.cxx, "-shared", files.emulated_object, files.shim};
  // the judge asks for the emulator's functions by name: no reference of the submission's brings them all in
  append_for_linker(command, {"--whole-archive", files.emulator, "--no-whole-archive"});
  append(command, {files.fibers, "-pthread"});
  append_for_linker(command, linker_options(tools, Device::kGpu, true));
  append_for_linker(command, {"-Bsymbolic"});
  append(command, {"-o", files.emulated_library});
  return command;
}

std::string shown_command(const Submission& submission, const std::string& cuda_arch, bool separately) {
  const std::string library = fs::path(submission.name).stem().string() + ".so";
  if (submission.device.cuda) {
    return fmt::format("nvcc {}{} -Xcompiler -fPIC,-Wall,-Wextra {} -o {}",
                       separately ? std::string(kSeparately) + " " : "",
                       fmt::join(gpu_options(cuda_arch), " "), submission.name, library);
  }
  return fmt::format("g++ {} {} -o {}", fmt::join(kCpuOptions, " "), submission.name, library);
}

std::string shown_emulation_command(const Submission& submission) {
  const std::string rewritten = fs::path(submission.name).stem().string() + ".cpp";
  return fmt::format("gemmlab-rewrite-cuda {} {} && g++ {} -Wall -Wextra -I emulator/include -c {}",
                     submission.name, rewritten, fmt::join(emulation::emulation_flags(), " "), rewritten);
}

}  // namespace gemmlab::submissions
