// gemmlab-judge: judges one submission. `./gemmlab submit` starts it through submissions/driver, which reads
// folders, prints, ranks and writes pages.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "runner/commands/commands.h"
#include "runner/execution/supervisor.h"
#include "runner/execution/worker.h"
#include "runner/message_text.h"
#include "submissions/callee/ours.h"
#include "submissions/program/answers.h"

namespace gemmlab::submissions {

namespace {

int program(int argc, char** argv) {
  const runner::Catalogue catalogue;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "worker" && argc == 5)
    return runner::worker_main(catalogue, std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  if (what == "callee" && argc == 2)
    return callee_main({[&](const std::string& id, const std::string& parameters) {
                          const Implementation* implementation = catalogue.find(id);
                          if (implementation == nullptr)
                            throw std::runtime_error("there is no implementation " + id);
                          return make_ours(*implementation, parameters);
                        },
                        make_gpu_bench, make_gpu_empty});
  if (argc != 2 || (what != "facts" && what != "hand-in" && what != "ladder")) {
    fmt::print(stderr, "gemmlab-judge is started by `./gemmlab submit`; see `./gemmlab submit --help`\n");
    return runner::kExitUsage;
  }
  // as in the runner's program: idle threads of the ladder must not take cores from whose turn it is
  ::setenv("GOMP_SPINCOUNT", "4000", 0);
  runner::catch_interrupts();  // so that scratch folders go
  runner::Channel channel(STDIN_FILENO, STDOUT_FILENO);
  try {
    if (what == "facts") return answer_facts(catalogue, channel);
    return what == "ladder" ? answer_ladder(catalogue, channel) : answer_hand_in(catalogue, channel);
  } catch (const runner::Interrupted&) {
    return runner::exit_interrupted();
  } catch (const std::exception& error) {
    fmt::print(stderr, "gemmlab-judge: {}\n", runner::one_line(error.what()));
    return runner::kExitWrong;
  }
}

}  // namespace
}  // namespace gemmlab::submissions

int main(int argc, char** argv) {
  return gemmlab::submissions::program(argc, argv);
}
