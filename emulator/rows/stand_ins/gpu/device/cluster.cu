// In the place of gpu/device/cluster.cu where kernels run on a CPU: cluster.h says all.
#include "gpu/device/cluster.h"
