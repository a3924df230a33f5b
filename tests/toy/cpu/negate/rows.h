#pragma once

#define GEMMLAB_CPU_NEGATE(ROW) ROW(negate) ROW(negate_forgetful)
