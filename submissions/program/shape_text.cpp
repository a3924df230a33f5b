#include "submissions/program/shape_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "core/gemm/implementation.h"

namespace gemmlab::submissions {

std::int64_t whole_number(const std::string& text, std::int64_t most) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && value >= 1 && value <= most ? value : 0;
}

Shape read_shape(const runner::TomlReader& reader, const toml::node& where, const std::string& key,
                 const std::string& text) {
  const std::int64_t most = gemm().dimensions().front().maximum;
  std::istringstream parts(text + "x");
  std::vector<std::int64_t> numbers;
  for (std::string part; std::getline(parts, part, 'x');) numbers.push_back(whole_number(part, most));
  if (numbers.size() != 3 || std::count(numbers.begin(), numbers.end(), 0) > 0) {
    reader.fail(where, fmt::format("'{}' has the shape '{}'; allowed: MxNxK as in \"8192x6144x4096\", "
                                   "N the inner dimension, each from 1 to {}",
                                   key, text, most));
  }
  Shape shape;
  shape.m = numbers[0];
  shape.k = numbers[1];
  shape.n = numbers[2];
  return shape;
}

}  // namespace gemmlab::submissions
