#pragma once

#define GEMMLAB_GPU_CHAIN(ROW) ROW(chain)
