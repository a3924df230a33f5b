#include "submissions/build/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

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

std::vector<std::string> linker_options(const Toolchain& tools, Device device) {
  std::vector<std::string> options{"-z",
                                   "defs"};  // an unresolved name is an error now, not when it is called
  if (device == Device::kGpu && !tools.cuda_libraries.empty()) {
    append(options, {"-rpath", tools.cuda_libraries});
  }
  for (const std::string& function : wrapped_functions(device)) options.push_back("--wrap=" + function);
  return options;
}

}  // namespace

Toolchain find_toolchain(Device device) {
  Toolchain tools;
  tools.cxx = on_path("g++");
  if (tools.cxx.empty()) tools.cxx = on_path("c++");
  tools.nm = on_path("nm");
  if (device == Device::kGpu) {
    tools.nvcc = find_nvcc();
    if (!tools.nvcc.empty()) tools.cuda_libraries = libraries_of(tools.nvcc);
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

std::vector<std::string> shim_command(const Toolchain& tools, const BuildFiles& files, Device device) {
  // Without built-in knowledge of malloc, since the shim is what stands in its place.
  std::vector<std::string> command{tools.cxx,      "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden",
                                   "-fno-builtin", "-c",         "-x",  "c++",   files.shim_source,
                                   "-o",           files.shim};
  if (device == Device::kGpu) command.push_back("-DGEMMLAB_WRAP_CUDA");
  return command;
}

std::vector<std::string> build_command(const Toolchain& tools, const BuildFiles& files, Device device,
                                       const std::string& cuda_arch) {
  const std::vector<std::string> before{"-include", files.signature, "-MD", "-MF", files.dependencies};
  std::vector<std::string> command;
  if (device == Device::kCpu) {
    command.push_back(tools.cxx);
    append(command, kCpuOptions);
    append(command, kGccExtras);
    append(command, before);
    append(command, {"-x", "c++", files.source, "-x", "none"});
    for (const std::string& option : linker_options(tools, device)) append(command, {"-Xlinker", option});
  } else {
    command.push_back(tools.nvcc);
    append(command, gpu_options(cuda_arch));
    append(command, {"-Xcompiler", fmt::format("-fPIC,-Wall,-Wextra,{}", fmt::join(kGccExtras, ","))});
    append(command, before);
    command.push_back(files.source);
    for (const std::string& option : linker_options(tools, device)) append(command, {"-Xlinker", option});
  }
  append(command, {files.shim, "-o", files.library});
  return command;
}

std::string shown_command(const Submission& submission, const std::string& cuda_arch) {
  const std::string library = fs::path(submission.name).stem().string() + ".so";
  if (submission.device == Device::kGpu) {
    return fmt::format("nvcc {} -Xcompiler -fPIC,-Wall,-Wextra {} -o {}",
                       fmt::join(gpu_options(cuda_arch), " "), submission.name, library);
  }
  return fmt::format("g++ {} {} -o {}", fmt::join(kCpuOptions, " "), submission.name, library);
}

}  // namespace gemmlab::submissions
