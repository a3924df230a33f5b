#pragma once

// What rows on several cards have in common: how many, and whether they are there.

#include <string>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// gpus: 1 to 8.
ParameterSpec gpus_parameter();

/// Why there are fewer cards than parameter gpus wants; empty where there are as many, or where there is no driver and
/// nothing can be run anyway.
std::string too_few_cards(const Parameters& parameters);

}  // namespace gemmlab::gpu
