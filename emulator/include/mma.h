#error "<mma.h> cannot be run without a GPU"
