#error "<cublasLt.h> cannot be run without a GPU"
