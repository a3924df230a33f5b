#pragma once

// Where experiments, records and the report are found.

#include <string>

namespace gemmlab::runner {

/// The folder that holds experiments/, data/ and report/: $GEMMLAB_ROOT, else found upwards from the program
/// or from the working folder.
std::string source_root();

}  // namespace gemmlab::runner
