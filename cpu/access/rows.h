#pragma once

#define GEMMLAB_CPU_ACCESS(ROW) ROW(access)
