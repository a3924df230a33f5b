#error "<cublas_v2.h> cannot be run without a GPU"
