#include "submissions/program/shape_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "operations/gemm/implementation.h"
#include "submissions/solve_shape.h"

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
    reader.fail(where, fmt::format("'{}' has the shape '{}'; allowed: rows x inner x columns (MxNxK of "
                                   "solve), such as \"8192x6144x4096\", each from 1 to {}",
                                   key, text, most));
  }
  return shape_of({numbers[0], numbers[1], numbers[2]});
}

}  // namespace gemmlab::submissions
