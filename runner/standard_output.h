#pragma once

// Notices output that nobody can read: a run must not go on in silence.

#include <exception>
#include <string>
#include <utility>

/// Standard output that was closed, or cannot be written to.
namespace gemmlab::runner {

/// Nobody can read what is said: the disk is full, or the reader is gone. No runtime_error, which a worker's
/// failure is.
class OutputLost : public std::exception {
 public:
  explicit OutputLost(int error);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Opens /dev/null for each of descriptors 0 to 2 that the caller has closed: the next file to be opened would
/// get its number, and what is printed would go into that file. Was standard output open?
bool open_standard_streams();

/// Prints the text at once. Throws OutputLost.
void print_now(const std::string& text);

/// What was printed before is written at last. Throws OutputLost.
void flush_output();

}  // namespace gemmlab::runner
