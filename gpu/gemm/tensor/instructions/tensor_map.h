#pragma once

// Tells the copy engine (TMA) how split operands lie in memory.

#include <cuda.h>  // the type CUtensorMap alone; nothing of the driver is linked

namespace gemmlab::gpu::parts {

/// Parts (part, row, k) as TMA sees them: `rows` rows of `pitch` elements of one, two or four bytes, of each of kMostParts
/// parts; a plain matrix is part 0. Fetched `box_rows` rows and `step` of k at a time, swizzled over the 64
/// or 128 bytes of a step; what lies beyond is read as zeros. Throws where the driver refuses.
CUtensorMap tensor_map(const void* parts, int element_bytes, int rows, int pitch, int box_rows, int step);

}  // namespace gemmlab::gpu::parts
