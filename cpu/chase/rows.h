#pragma once

#define GEMMLAB_CPU_CHASE(ROW) ROW(chase)
