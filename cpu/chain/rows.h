#pragma once

#define GEMMLAB_CPU_CHAIN(ROW) ROW(chain)
