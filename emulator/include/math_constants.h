#pragma once

// CUDA's names for constants.

#include "cuda_runtime.h"

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_MAX_NORMAL_F 3.402823466e+38F
#define CUDART_ZERO_F 0.0F
#define CUDART_ONE_F 1.0F
#define CUDART_PI_F 3.141592654F
#define CUDART_INF __builtin_inf()
#define CUDART_PI 3.14159265358979323846
