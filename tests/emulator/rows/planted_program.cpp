// The program with kernels that were spoilt on purpose, in place of those of gpu/; of another library by GEMMLAB_PLANTED_ROWS.

#include <cstdlib>

#include "runner/commands/emulated.h"
#include "runner/program.h"

int main(int argc, char** argv) {
  const char* const other = std::getenv("GEMMLAB_PLANTED_ROWS");
  gemmlab::emulation::use_library(other != nullptr ? other : GEMMLAB_PLANTED_LIBRARY);
  return gemmlab::runner::program(argc, argv, {});
}
