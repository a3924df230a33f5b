#pragma once

#define GEMMLAB_CPU_COUNT_UP(ROW) ROW(count_up) ROW(count_up_narrow)
