#pragma once

// CUDA's runtime as far as kernels of a matrix multiplication and the code around them use it, for g++.

#ifndef __CUDACC__  // kernels stand behind it in headers that other compilers read, too
#define __CUDACC__ 1
#endif
#define CUDART_VERSION 13000

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gemmlab_cuda_api.h"
#include "gemmlab_cuda_device.h"
#include "gemmlab_cuda_graphs.h"
#include "gemmlab_cuda_hints.h"
#include "gemmlab_cuda_integers.h"
#include "gemmlab_cuda_math.h"
#include "gemmlab_cuda_memory.h"
#include "gemmlab_cuda_peers.h"
#include "gemmlab_cuda_types.h"
#include "gemmlab_ptx.h"
