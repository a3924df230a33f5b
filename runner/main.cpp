#include "runner/program.h"

int main(int argc, char** argv) {
  return gemmlab::runner::program(argc, argv);
}
