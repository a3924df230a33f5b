#pragma once

#define GEMMLAB_GPU_BARRIER(ROW) ROW(barrier)
