#pragma once

// The user's mistakes, apart from failures of the program.

#include <stdexcept>

namespace gemmlab::runner {

/// A bad definition, file or command line; the message is one line, ready to be printed.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gemmlab::runner
