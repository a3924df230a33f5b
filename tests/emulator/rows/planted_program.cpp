// The program with kernels that were spoilt on purpose, in place of those of gpu/.

#include "runner/commands/emulated.h"
#include "runner/program.h"

int main(int argc, char** argv) {
  gemmlab::emulation::use_library(GEMMLAB_PLANTED_LIBRARY);
  return gemmlab::runner::program(argc, argv, {});
}
