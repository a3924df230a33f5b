#pragma once

// In place of CUDA's header of this name, so that code that includes it compiles.

#include "cuda_runtime.h"
