#error "<cudaTypedefs.h> cannot be run without a GPU"
