// gemmlab-rewrite-cuda IN OUT [NAME]: writes the CUDA C++ of IN to OUT as g++ compiles it for the emulation; the compiler then calls
// it NAME.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "emulator/rewrite/rewrite.h"

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fputs("usage: gemmlab-rewrite-cuda IN OUT [NAME]\n", stderr);
    return 2;
  }
  try {
    const std::string name = argc == 4 ? "#line 1 \"" + std::string(argv[3]) + "\"\n" : "";
    const std::string text = name + gemmlab::emulation::rewrite(contents(argv[1])).text;
    std::ofstream file(argv[2], std::ios::binary);
    if (!(file << text) || !file.flush())
      throw std::runtime_error(std::string("cannot write '") + argv[2] + "'");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gemmlab-rewrite-cuda: %s\n", error.what());
    return 1;
  }
}
