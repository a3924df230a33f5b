#pragma once

// A method's source file as it was compiled for each isa, and what rows of the table make of it.

#include <string>
#include <vector>

#include "core/implementation.h"
#include "cpu/device/isa.h"

namespace gemmlab::cpu {

/// The parameter `threads`.
ParameterSpec threads_parameter(const std::string& summary);
/// What `threads` means to a library.
inline constexpr const char* kThreadsOfLibrary = "threads at most; the library may take fewer";

bool machine_has(const std::string& isa);
/// The parameter `isa`: these, the last of which is the default.
ParameterSpec isa_parameter(const std::vector<std::string>& isas);
/// For a value of `isa` that is not among a description's choices.
[[noreturn]] void throw_wrong_isa(const Description& description, const std::string& isa);

template <typename Method>
struct Variant {
  const char* isa;
  const Method* method;
};

template <typename Method>
class Variants {
 public:
  /// `all` in rising order, baseline first; what this machine cannot run is left out.
  explicit Variants(const std::vector<Variant<Method>>& all) {
    for (const Variant<Method>& variant : all) {
      if (machine_has(variant.isa)) runnable_.push_back(variant);
    }
  }

  /// The method as any isa has it: its texts, and what it takes.
  const Method& any() const { return *runnable_.at(0).method; }
  /// Without parameters.
  Description description(const std::string& operation) const {
    return {.id = any().id,
            .name = any().name,
            .family = any().family,
            .summary = any().summary,
            .source = any().source,
            .counterpart = any().counterpart,
            .operation = operation};
  }
  ParameterSpec isa() const {
    std::vector<std::string> isas;
    for (const Variant<Method>& variant : runnable_) isas.emplace_back(variant.isa);
    return isa_parameter(isas);
  }
  /// Throws std::invalid_argument where this machine has no such isa.
  const Method& of(const Description& description, const Parameters& parameters) const {
    const std::string isa = text(parameters, "isa");
    for (const Variant<Method>& variant : runnable_) {
      if (isa == variant.isa) return *variant.method;
    }
    throw_wrong_isa(description, isa);
  }

 private:
  std::vector<Variant<Method>> runnable_;
};

// For an operation's methods.cpp. GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, METHODS) declares what METHODS, a
// list of lists/cpu_methods.h, became for every isa, where GEMMLAB_DECLARE(name) declares one; GEMMLAB_VARIANTS(name)
// lists those of one.
#define GEMMLAB_DECLARE_ISA(isa, METHODS) \
  namespace isa {                         \
  METHODS(GEMMLAB_DECLARE)                \
  }
#define GEMMLAB_VARIANT(isa, name) {#isa, &isa::name},
#define GEMMLAB_VARIANTS(name) \
  { GEMMLAB_EACH_ISA(GEMMLAB_VARIANT, name) }

}  // namespace gemmlab::cpu
