// In place of CUDA's: code that calls this library is refused while it is compiled.
#error "<cublasLt.h> cannot be run without a GPU"
