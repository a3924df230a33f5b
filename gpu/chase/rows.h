#pragma once

#define GEMMLAB_GPU_CHASE(ROW) ROW(chase)
