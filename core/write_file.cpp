#include "core/write_file.h"

#include <fstream>
#include <stdexcept>

namespace gemmlab {

void write_in_one_step(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path beside = file.string() + ".new";
  {
    std::ofstream stream(beside, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw std::runtime_error(beside.string() + " cannot be written");
  }
  std::filesystem::rename(beside, file);
}

}  // namespace gemmlab
