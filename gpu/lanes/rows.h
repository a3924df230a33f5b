#pragma once

#define GEMMLAB_GPU_LANES(ROW) ROW(lanes)
