#pragma once

// THE list of the CPU implementations of the operation chain.

#define GEMMLAB_CPU_CHAIN(ROW) ROW(chain)
