// verdict: crashed
// pattern: exception
// Starts threads that never end until no more can be had.

#include <chrono>
#include <thread>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
  for (;;) {
    std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  }
}
