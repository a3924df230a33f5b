#pragma once

// Whether wgmma can be used: the card has it, and this program holds code for it.

namespace gemmlab::gpu::parts {

/// Does the card run code of this program that was compiled for sm_90a?
bool wgmma_here();

}  // namespace gemmlab::gpu::parts
