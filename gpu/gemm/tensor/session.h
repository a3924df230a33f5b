#pragma once

// Products by gpu.tensor's kernels, whatever the shape. For .cu and .cpp files.

#include <memory>
#include <optional>
#include <string>

#include "core/implementation.h"
#include "gpu/gemm/shared_operands.h"
#include "gpu/gemm/tensor/choose.h"
#include "operations/gemm/batch.h"

namespace gemmlab::gpu::parts {

/// Why several products are none for make_tensor_session() on any card; empty where they are.
std::string why_no_batch(const GemmBatch& batch);

/// Does make_tensor_session() take these several products on this card, and are they faster so than in plain FP32?
bool better_as_batch(const GemmBatch& batch);

/// Does make_tensor_session() split ordinary A and B once, so that sessions behind it can use what is the same?
bool splits_once(const GemmBatch& batch, bool half_allowed, bool wgmma);

/// A session of gemm that multiplies one product, or a batch that why_no_batch() allows on a card with wgmma_here() (instructions/wgmma_here.h): its
/// operands hold all products. `half_allowed`: by INT8 triples and FP16 pairs, too, where the data allow them. `wgmma`:
/// where the card has it. Of a batch both.
/// `before`: of one product, sessions made here, or others, which have nothing to share. `choice`: else choose_wgmma()'s.
std::unique_ptr<Session> make_tensor_session(const GemmBatch& batch, bool half_allowed, bool wgmma,
                                             const SessionsBefore& before = {},
                                             const std::optional<WgmmaChoice>& choice = {});

}  // namespace gemmlab::gpu::parts
