#error "<cuda_fp8.h> cannot be run without a GPU"
