#pragma once

#define GEMMLAB_CPU_FORGETFUL(ROW) ROW(negate_forgetful)
