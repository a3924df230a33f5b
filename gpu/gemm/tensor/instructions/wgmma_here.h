#pragma once

namespace gemmlab::gpu::parts {

/// Does the card run code of this program that was compiled for sm_90a?
bool wgmma_here();

}  // namespace gemmlab::gpu::parts
