// gemmlab-callee: the process that loads a submission for the CPU and calls it. It holds nothing that multiplies matrices,
// and links only what a submission is linked with: of what it maps, nothing helps a submission. Run by gemmlab-judge.

#include <cstdlib>

#include "submissions/callee/callee.h"
#include "submissions/sandbox/sandbox.h"
#include "submissions/sandbox/user.h"

/// As root: `gemmlab-callee USER`, the number of the user to become.
int main(int argc, char** argv) {
  using namespace gemmlab::submissions;
  if (argc == 2) {
    give_up_capabilities();
    if (!become(static_cast<uid_t>(std::strtoul(argv[1], nullptr, 10)))) return 1;
  }
  return callee_main({});
}
