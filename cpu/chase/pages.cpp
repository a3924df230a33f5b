#include "cpu/chase/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

#include "core/rounding.h"

namespace gemmlab::cpu {
namespace {

constexpr std::size_t kHugePage = 2 << 20;

}  // namespace

Pages::Pages(std::size_t bytes, bool huge)
    : mapped_bytes_(rounded_up(bytes, kHugePage) + kHugePage), bytes_(rounded_up(bytes, kHugePage)) {
  void* memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapped_ = static_cast<char*>(memory);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped_);
  data_ = mapped_ + (kHugePage - address % kHugePage) % kHugePage;
  madvise(data_, bytes_, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);  // a refusal shows in huge_share()
}

Pages::~Pages() {
  munmap(mapped_, mapped_bytes_);
}

double Pages::huge_share() const {
  std::ifstream maps("/proc/self/smaps");
  const auto first = reinterpret_cast<std::uintptr_t>(data_);
  bool ours = false;
  double huge_bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-') {
      ours = begin < first + bytes_ && end > first;
    } else if (ours && line.rfind("AnonHugePages:", 0) == 0) {
      constexpr double kKibibyte = 1024;
      huge_bytes += std::stod(line.substr(line.find(':') + 1)) * kKibibyte;
    }
  }
  return std::min(1.0, huge_bytes / static_cast<double>(bytes_));
}

}  // namespace gemmlab::cpu
