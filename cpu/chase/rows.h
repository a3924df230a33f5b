#pragma once

// THE list of the CPU implementations of the operation chase.

#define GEMMLAB_CPU_CHASE(ROW) ROW(chase)
