#pragma once

#define GEMMLAB_GPU_NEGATE(ROW) ROW(negate)
