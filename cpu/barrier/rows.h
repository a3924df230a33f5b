#pragma once

// THE list of the CPU implementations of the operation barrier.

#define GEMMLAB_CPU_BARRIER(ROW) ROW(barrier)
