#include <stdexcept>

#include "runner/commands/emulated.h"

namespace gemmlab::emulation {

const std::vector<const Implementation*>& emulated_rows() {
  static const std::vector<const Implementation*> none;
  return none;
}

std::string unavailable() {
  return "no GPU kernel can be emulated: gemmlab was built without the emulator";
}

const std::map<std::string, std::string>& left_out() {
  static const std::map<std::string, std::string> none;
  return none;
}

std::string counted(const Implementation&, const Instance&, const Parameters&, std::uint64_t) {
  throw std::logic_error(unavailable());
}

void use_library(const std::string&) {}

}  // namespace gemmlab::emulation
