#pragma once

// The implementations as the interface knows them: by id, their parameters written as in "block=16".

#include <string>
#include <vector>

#include "operations/gemm/implementation.h"

namespace gemmlab::api {

/// Those of gemm, of both devices, in the order of the tables.
const std::vector<const Implementation*>& rows();
/// Those of them that are made for float32.
const std::vector<const GemmImplementation*>& float32_rows();
/// nullptr where there is none in this build.
const Implementation* find_row(const std::string& id);
/// Is it a row of the GPU's table that this build lacks?
bool known_elsewhere(const std::string& id);
/// Throws Refusal where there is none.
const Implementation& row(const std::string& id);
/// The last of our own in plain FP32 of a device that takes every form of gemm. Throws Refusal where there is none.
const GemmImplementation& last_rung(const Device& device);
/// That of the GPU where there is one, else of the CPU.
const GemmImplementation& last_rung_here();
/// The last of our own of a device that takes this product on this machine. Throws Refusal where none does.
const Implementation& last_rung(const Device& device, const Instance& instance);

/// Throws Refusal, with the reason, where the row cannot run on this machine.
void refuse_unavailable(const Implementation& row);

/// "block=16 isa=avx2" checked and completed. Throws std::invalid_argument.
Parameters parameters_of(const Description& description, const std::string& written);

}  // namespace gemmlab::api
