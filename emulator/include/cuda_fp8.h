// In place of CUDA's: numbers of 8 bits are not emulated.
#error "<cuda_fp8.h> cannot be run without a GPU"
