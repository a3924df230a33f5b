#pragma once

// Which headers a submission includes, and which of them its rule forbids.

#include <string>
#include <vector>

namespace gemmlab::submissions {

/// The files of a dependency list as compilers write it with -MD.
std::vector<std::string> parse_dependencies(const std::string& makefile);

/// The first header among `files` that one of the prefixes forbids, as it would stand in an #include
/// ("Eigen/Dense"); empty where there is none. Prefixes are held against what follows an include folder, at
/// any depth; files below `scratch` are the submission's own.
std::string forbidden_header(const std::vector<std::string>& files, const std::vector<std::string>& prefixes,
                             const std::string& scratch);

/// The first of `files` that lies in none of `folders`, as it was named or where its links lead; empty where all do. What is no
/// absolute path starts from `from`, the compiler's working folder.
std::string foreign_file(const std::vector<std::string>& files, const std::vector<std::string>& folders,
                         const std::string& from);

}  // namespace gemmlab::submissions
