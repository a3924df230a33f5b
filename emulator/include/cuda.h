#error "<cuda.h> cannot be run without a GPU"
