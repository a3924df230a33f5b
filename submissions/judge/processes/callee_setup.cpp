#include "submissions/judge/processes/callee_setup.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/records/point.h"
#include "core/rounding.h"

namespace gemmlab::submissions {

using Json = nlohmann::ordered_json;

std::map<std::string, std::string> environment_of(const CalleeSetup& setup) {
  std::map<std::string, std::string> variables{{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                               {"LANG", "C.UTF-8"},
                                               {"HOME", setup.confinement.scratch},
                                               {"TMPDIR", setup.confinement.scratch},
                                               {"CUDA_CACHE_DISABLE", "1"}};
  if (setup.checked_heap) {
    variables["MALLOC_CHECK_"] = "3";                    // say it, and abort
    variables["LD_PRELOAD"] = "libc_malloc_debug.so.0";  // where that is since glibc 2.34
  }
  if (setup.bind_openmp) variables["OMP_PROC_BIND"] = "true";
  for (const char* name :
       {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
        "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  return variables;
}

std::array<std::int64_t, 3> CalleeSetup::room_bytes() const {
  if (!repeated) return {matrices.a->bytes(), matrices.b->bytes(), matrices.c->bytes()};
  constexpr std::int64_t kPage = 4096;
  const auto room = [](std::int64_t count, const Room& of) {
    return rounded_up(count * of.element_bytes(), kPage);
  };
  return {room(repeated->a_count(), *matrices.a), room(repeated->b_count(), *matrices.b),
          room(repeated->c_count(), *matrices.c)};
}

std::string told_at_start(const CalleeSetup& setup) {
  const Matrices& matrices = setup.matrices;
  Json json{{"gpu", setup.gpu},
            {"rooms", setup.room_bytes()},
            {"element_bytes",
             {matrices.a->element_bytes(), matrices.b->element_bytes(), matrices.c->element_bytes()}},
            {"window_bytes", setup.repeated ? matrices.a->bytes() : 0},
            {"writable_inputs", setup.writable_inputs}};
  if (setup.idle_threads > 0) {
    json["idle_threads"] = setup.idle_threads;
  } else if (setup.library.empty()) {
    json["implementation"] = setup.implementation;
    json["parameters"] = gemmlab::to_json(setup.parameters);
  } else {
    json["library"] = setup.library;
    json["solve"] = {{"inner_k", setup.solve.inner_k}, {"alpha_beta", setup.solve.alpha_beta}};
    json["no_new_code"] = setup.no_new_code;
    if (setup.emulated())
      json["emulation"] = {{"seconds", setup.emulated_s},
                           {"memory_bytes", setup.emulated_bytes + matrices.a->bytes() + matrices.b->bytes() +
                                                matrices.c->bytes()},
                           {"registers", setup.emulated_registers}};
  }
  if (!setup.library.empty() || setup.idle_threads > 0)
    json["confinement"] = {
        {"scratch", setup.confinement.scratch},       {"bare", setup.confinement.bare},
        {"readable", setup.confinement.readable},     {"memory_bytes", setup.confinement.memory_bytes},
        {"file_bytes", setup.confinement.file_bytes}, {"threads", setup.confinement.threads}};
  return json.dump();
}

}  // namespace gemmlab::submissions
