#pragma once

// Types of the driver's functions, and how the runtime hands them out.

#include "cuda.h"
#include "cuda_runtime.h"

using PFN_cuTensorMapEncodeTiled_v12000 = decltype(&cuTensorMapEncodeTiled);
using PFN_cuTensorMapEncodeTiled = PFN_cuTensorMapEncodeTiled_v12000;
