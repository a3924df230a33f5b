#pragma once

#define GEMMLAB_CPU_BARRIER(ROW) ROW(barrier)
