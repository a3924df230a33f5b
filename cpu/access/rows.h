#pragma once

// THE list of the CPU implementations of the operation access.

#define GEMMLAB_CPU_ACCESS(ROW) ROW(access)
