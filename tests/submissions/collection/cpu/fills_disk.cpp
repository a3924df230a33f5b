// verdict: incorrect
// pattern: partly-written
// Writes one file after the other, each small enough, until the disk is full. Not even the first can be made.

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

extern "C" void solve(const float* A, const float*, float* C, int, int, int) {
  const char* home = std::getenv("HOME");
  const std::vector<char> block(8 << 20, 'x');
  for (int number = 0;; ++number) {
    std::ofstream file(std::string(home != nullptr ? home : ".") + "/part-" + std::to_string(number));
    file.write(block.data(), static_cast<std::streamsize>(block.size()));
    if (!file) break;
  }
  C[0] = A[0];
}
