#pragma once

// All that the CPU offers to the suite: its implementations, its back end and its ceilings.

#include <memory>
#include <vector>

#include "core/backend.h"
#include "core/implementation.h"
#include "core/machine/ceiling.h"
#include "core/verification/verify.h"

namespace gemmlab::cpu {

/// Every CPU implementation, in the order of the ladder: plain loops first, references last. THE list
/// is in rows.txt.
const std::vector<const Implementation*>& implementations();

/// Host memory and the steady clock.
std::unique_ptr<Backend> make_backend();

/// The double-precision product that references are made with: OpenBLAS' where it is found, else Eigen's.
DoubleProduct double_product();

/// FMA peak of each isa of this machine, and read bandwidth of each level of its memory, at one thread and at
/// all cores. About 2 s.
std::vector<Ceiling> measure_ceilings();

/// What the clock itself costs: `clock`, the empty sample.
std::vector<Cost> measure_costs();

}  // namespace gemmlab::cpu
