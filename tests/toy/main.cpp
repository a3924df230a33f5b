// The program with an operation more: what a user adds as operations/negate, cpu/negate and gpu/negate.

#include "runner/program.h"

int main(int argc, char** argv) {
  return gemmlab::runner::program(argc, argv, {});
}
