#pragma once

// Where a program finds what it needs while it runs: the tree, and what was built with it. Both may have been moved.

#include <string>

namespace gemmlab {

/// The folder that holds experiments/, data/ and report/: $GEMMLAB_ROOT, else found upwards from the program
/// or from the working folder.
std::string source_root();

/// The folder below which results are written where no other is named: $GEMMLAB_WORK, else source_root().
std::string work_root();

/// A file of the build that this program belongs to, `name` as below the build folder: in the nearest folder above the
/// program that has it. Where none has, the path at which it is missing.
std::string built_file(const std::string& name);

}  // namespace gemmlab
