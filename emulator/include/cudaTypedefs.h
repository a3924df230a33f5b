// In place of CUDA's: code that calls the driver is refused while it is compiled.
#error "<cudaTypedefs.h> cannot be run without a GPU"
