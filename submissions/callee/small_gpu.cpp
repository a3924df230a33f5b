// gemmlab-callee-gpu: the process that loads a submission for a GPU and calls it. Like gemmlab-callee, it holds nothing that
// multiplies matrices. Run by gemmlab-judge.

#include "submissions/callee/callee.h"

int main() {
  using namespace gemmlab::submissions;
  return callee_main({{}, make_gpu_bench, make_gpu_empty});
}
