#pragma once

// Looks for libraries that a process has opened.

#include <istream>
#include <string>
#include <vector>

namespace gemmlab::submissions {

/// A file, or memory, from which a process can run code.
struct MappedCode {
  std::string file;  ///< device and inode, which no other name hides; empty: memory without a file
  std::string name;  ///< of the file, without its folder
  std::string path;

  bool operator==(const MappedCode&) const = default;
};

/// Of a process' /proc/PID/maps, each once; what the kernel itself puts there is left out.
std::vector<MappedCode> mapped_code(std::istream& maps);

/// Shared libraries that are there `now`, were not `before` a submission was loaded, and that neither the
/// compiler links nor the CUDA driver opens by itself. By their names: a driver opens what it likes; but nothing out of
/// `scratch`, where a submission may write, other than its own `library`.
std::vector<std::string> opened_libraries(const std::vector<MappedCode>& before,
                                          const std::vector<MappedCode>& now, const std::string& scratch,
                                          const std::string& library);

/// Code of a process without a GPU that is there `now`, was not `before` a submission was loaded, and is not that
/// submission's own library.
std::vector<MappedCode> foreign_code(const std::vector<MappedCode>& before,
                                     const std::vector<MappedCode>& now);

}  // namespace gemmlab::submissions
