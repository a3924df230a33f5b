#include "operations/described_operation.h"

namespace gemmlab {

std::int64_t integer_option(const Instance& instance, const std::string& name) {
  return std::get<std::int64_t>(instance.option(name));
}

const std::string& text_option(const Instance& instance, const std::string& name) {
  return std::get<std::string>(instance.option(name));
}

}  // namespace gemmlab
