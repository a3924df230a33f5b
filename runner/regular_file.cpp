#include "runner/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(fmt::format("{}: the file cannot be read: {}", file, why));
}

/// What stands in the way of reading it as text; empty for an ordinary file.
const char* oddity(const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFREG:
      return "";
    case S_IFDIR:
      return "this is a folder";
    case S_IFIFO:
      return "this is a FIFO, not an ordinary file";
    default:
      return "this is a device or socket, not an ordinary file";
  }
}

/// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

void require_regular_if_there(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    refuse(file, std::strerror(errno));
  }
  if (*oddity(status) != '\0') refuse(file, oddity(status));
}

std::string read_regular_file(const std::string& file, std::size_t most_bytes) {
  // without O_NONBLOCK, opening a FIFO waits for a writer
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0) refuse(file, std::strerror(errno));
  if (*oddity(status) != '\0') refuse(file, oddity(status));
  // a file of /proc says that it has no bytes, and one that grows has more than it says
  std::string text(std::min<std::size_t>(most_bytes, static_cast<std::size_t>(status.st_size)) + 1, '\0');
  std::size_t length = 0;
  for (;;) {
    if (length > most_bytes)
      refuse(file, fmt::format("it has over {} MiB, the most that is allowed", most_bytes >> 20));
    if (length == text.size()) text.resize(2 * text.size());
    const ssize_t count = ::read(fd, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(file, std::strerror(errno));
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
  }
  text.resize(length);
  return text;
}

}  // namespace gemmlab::runner
