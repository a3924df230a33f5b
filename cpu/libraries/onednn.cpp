#include "cpu/libraries/onednn.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

namespace gemmlab::cpu {
namespace {

// From oneDNN's C interface, dnnl_types.h: its threading runtimes.
constexpr unsigned kSequentialRuntime = 1;
constexpr unsigned kOpenMpRuntime = 2;

std::string isa_name(unsigned isa) {
  const std::pair<unsigned, const char*> known[] = {
      {0x1, "sse41"},
      {0x3, "avx"},
      {0x7, "avx2"},
      {0xf, "avx2_vnni"},
      {0x27, "avx512_core"},
      {0x67, "avx512_core_vnni"},
      {0xe7, "avx512_core_bf16"},
      {0x1e7, "avx512_core_fp16"},
      {0x3e7, "avx512_core_amx"},
      {0xfe7, "avx512_core_amx"},
  };
  for (const auto& [value, name] : known) {
    if (value == isa) return name;
  }
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", isa);
  return text;
}

}  // namespace

Library& onednn_library() {
  static Library library({.name = "oneDNN",
                          .environment = "GEMMLAB_ONEDNN",
                          .files = {"libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.2"},
                          .advice = "apt install libdnnl3 (Debian 12: libdnnl2, 13: libdnnl3.6)"});
  return library;
}

OneDnnCalls::OneDnnCalls(int threads) : threads_(threads) {
  Library& library = onednn_library();
  version_ = library.symbol<const OneDnnVersion*()>("dnnl_version")();
  // looked up from the library, so that it is the OpenMP runtime that the library itself uses
  set_threads_ = library.symbol_if_any<void(int)>("omp_set_num_threads");
  get_threads_ = library.symbol_if_any<int()>("omp_get_max_threads");
  if (version_->cpu_runtime == kSequentialRuntime) {
    set_threads_ = nullptr;
  } else if (version_->cpu_runtime != kOpenMpRuntime || set_threads_ == nullptr || get_threads_ == nullptr) {
    throw std::runtime_error(library.path() + " was not built with OpenMP, so its threads cannot be set");
  }
}

Facts OneDnnCalls::chosen(const void* function) const {
  Library& library = onednn_library();
  Facts facts{{"library", library.path()},
              {"loaded_from", file_of(function)},
              {"version", std::to_string(version_->major) + "." + std::to_string(version_->minor) + "." +
                              std::to_string(version_->patch)}};
  if (auto* isa = library.symbol_if_any<unsigned()>("dnnl_get_effective_cpu_isa"))
    facts["kernel"] = isa_name(isa());
  return facts;
}

}  // namespace gemmlab::cpu
