#pragma once

// Runs gpu.pipelined's kernels with one choice of tile, split and copy.

#include <memory>
#include <string>

#include "core/implementation.h"
#include "gpu/gemm/pipelined/choose.h"
#include "operations/gemm/form.h"

namespace gemmlab::gpu {

/// The row gpu.pipelined.
const Implementation& pipelined();

/// A session of gemm that runs `choice`, which has a candidate. `source`: who chose, for the record.
///
/// A transposed operand is brought into rows first: 8 bytes of traffic per element, 134 MB of each at 4096,
/// which take 32 µs at an H200's 4.26 TB/s where the product takes 2.6 ms. Where C's rows do not follow one
/// another, or beta·C is added, the product goes through memory once more: 8 or 12 bytes per element, 32 or
/// 48 µs at 4096. In the kernel a stride of C's own, or reads of C, changed the registers of the loop: up
/// to 48 and 168 bytes were spilled.
std::unique_ptr<Session> make_pipelined_session(const PipelinedChoice& choice, const Shape& shape,
                                                const GemmForm& form, std::string source);

}  // namespace gemmlab::gpu
