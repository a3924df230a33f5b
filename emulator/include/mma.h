// In place of CUDA's: tensor cores are not emulated.
#error "<mma.h> cannot be run without a GPU"
