// In the place of gpu/cluster.cu where kernels run on a CPU: cluster.h says all.
#include "gpu/cluster.h"
