#pragma once

// Values of parameters that this machine lacks and others have: a definition may ask for them.

#include <string>

#include "core/implementation.h"

namespace gemmlab::runner {

/// Whether another machine's processor has this value of `isa`, and this one's has not.
bool is_of_another_machine(const ParameterSpec& spec, const ParameterValue& value);

/// For messages: ParameterSpec::allowed(), with what other machines have behind it.
std::string allowed_anywhere(const ParameterSpec& spec);

/// Why these values are not to be had on this machine: "isa avx2: this machine has baseline, neon". Empty where they are.
std::string not_on_this_machine(const Description& description, const Parameters& parameters);

}  // namespace gemmlab::runner
