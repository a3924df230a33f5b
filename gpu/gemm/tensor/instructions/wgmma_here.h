#pragma once

// Whether wgmma can be used: the card has it, and this program holds code for it.

namespace gemmlab::gpu::parts {

/// Does the current card run code of this program that was compiled for sm_90a? A kernel says so, once a card.
bool wgmma_here();

}  // namespace gemmlab::gpu::parts
