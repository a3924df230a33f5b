#pragma once

#define GEMMLAB_CPU_NEGATE(ROW) ROW(negate)
