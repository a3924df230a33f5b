// In place of CUDA's: code that calls this library is refused while it is compiled.
#error "<cusparse.h> cannot be run without a GPU"
