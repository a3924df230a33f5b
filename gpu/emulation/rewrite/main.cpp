// gemmlab-rewrite-cuda IN OUT: writes the CUDA C++ of IN to OUT as g++ compiles it for the emulation.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "gpu/emulation/rewrite/rewrite.h"

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: gemmlab-rewrite-cuda IN OUT\n", stderr);
    return 2;
  }
  try {
    const std::string text = gemmlab::emulation::rewrite(contents(argv[1])).text;
    std::ofstream file(argv[2], std::ios::binary);
    if (!(file << text) || !file.flush())
      throw std::runtime_error(std::string("cannot write '") + argv[2] + "'");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gemmlab-rewrite-cuda: %s\n", error.what());
    return 1;
  }
}
