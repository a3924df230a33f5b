#include "submissions/build/run.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace gemmlab::submissions {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// Takes what lies in the pipe. What is beyond the limit is thrown away, so that the writer is not held up.
/// Never more than a few MiB at once, so that an endless writer cannot outlast the deadline here.
void drain(int pipe, std::string& output) {
  std::array<char, 65536> buffer;
  for (int turn = 0; turn < 64; ++turn) {
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got <= 0) return;
    const std::size_t room = kMostOutput - output.size();
    output.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  }
}

}  // namespace

Finished run_confined(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const Confinement& confinement,
                      std::chrono::steady_clock::time_point deadline) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("no pipe for the compiler's output: ") + std::strerror(errno));
  }
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  Confined program(argv, environment, {}, writing.get(), confinement);
  writing.close();

  Finished finished;
  while (!program.ended(finished.wait_status)) {
    if (std::chrono::steady_clock::now() >= deadline) {
      finished.timed_out = true;
      finished.wait_status = program.kill();
      break;
    }
    pollfd wanted{reading.get(), POLLIN, 0};
    ::poll(&wanted, 1, 10);
    drain(reading.get(), finished.output);
    // Nobody writes any more, so that poll would return at once: the end is near, but it is not there yet.
    if ((wanted.revents & POLLHUP) != 0 && (wanted.revents & POLLIN) == 0) ::usleep(2000);
  }
  drain(reading.get(), finished.output);
  program.kill();  // whatever it has left behind
  return finished;
}

}  // namespace gemmlab::submissions
