#error "<cusparse.h> cannot be run without a GPU"
