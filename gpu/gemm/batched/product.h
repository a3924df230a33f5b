#pragma once

// A batch of products on the card, by one launch where that is better. For .cu and .cpp files.

#include <memory>

#include "core/implementation.h"
#include "gpu/gemm/batched/choose.h"
#include "operations/gemm/batch.h"

namespace gemmlab::gpu {

/// Puts the batch into the current stream as one launch. `choice` has a candidate, which was found for these A and B.
void launch_batched(const BatchChoice& choice, const GemmBatch& batch, const float* a, const float* b,
                    float* c);
Facts facts_of(const BatchChoice& choice, const GemmBatch& batch);
Facts resources_of(const BatchChoice& choice);

/// `one`, a session of gemm for one product of that shape and form, which multiplies batches by one launch where that is
/// better, and single products whose operands `one` would copy first.
std::unique_ptr<Session> with_batches(std::unique_ptr<Session> one, const Shape& shape, const GemmForm& form);

}  // namespace gemmlab::gpu
