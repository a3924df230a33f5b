#include "runner/execution/supervisor.h"
#include "submissions/program/answers.h"

namespace gemmlab::submissions {

Json next_request(runner::Channel& channel) {
  constexpr int kLook_ms = 50;
  for (;;) {
    runner::throw_if_interrupted();
    if (auto request = channel.receive(kLook_ms)) return *request;
    if (channel.closed()) throw runner::Interrupted();
  }
}

}  // namespace gemmlab::submissions
