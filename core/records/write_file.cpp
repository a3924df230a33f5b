#include "core/records/write_file.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <stdexcept>

namespace gemmlab {

void write_in_one_step(const std::filesystem::path& file, const std::string& text) {
  // a name of its own: another process, or another thread, may be writing the same file
  static std::atomic<unsigned> written{0};
  const std::filesystem::path beside =
      file.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(++written) + ".new";
  {
    std::ofstream stream(beside, std::ios::binary);
    stream << text;
    if (!stream.flush()) {
      std::error_code ignored;
      std::filesystem::remove(beside, ignored);
      throw std::runtime_error(file.string() + " cannot be written");
    }
  }
  std::filesystem::rename(beside, file);
}

}  // namespace gemmlab
