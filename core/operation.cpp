#include "core/operation.h"

#include <stdexcept>

namespace gemmlab {

std::size_t bytes_of(ElementType type) {
  return type == ElementType::kInt64 ? sizeof(std::int64_t) : sizeof(float);
}

std::int64_t Instance::dim(const std::string& name) const {
  const auto& specs = operation->dimensions();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name) return dims.at(i);
  }
  throw std::out_of_range(operation->name() + " has no dimension " + name);
}

const OptionValue& Instance::option(const std::string& name) const {
  return options.at(name);
}

}  // namespace gemmlab
