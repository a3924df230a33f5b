#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "runner/commands/check_lines.h"
#include "runner/execution/worker.h"

namespace gemmlab::runner {
void check_by_emulation(std::vector<Line>& lines) {
  std::atomic<std::size_t> next{0};
  const auto take_lines = [&] {
    Supervisor supervisor;
    // the emulator has one thread, and a library's idle ones would take the core of another worker's
    supervisor.set_environment({{kEmulates, "1"}, {"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}});
    for (std::size_t i = next++; i < lines.size(); i = next++) {
      Line& line = lines[i];
      for (const Instance& instance : odd_instances(*line.operation)) {
        if (line.tally.failures.size() >= kMostFailures) line.tally.given_up = "wrong at so many shapes";
        if (line.operation->operation_count(instance) <= kMostEmulatedOperations)
          check_instance(supervisor, instance, {&line});
      }
    }
  };
  std::vector<std::future<void>> workers;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t worker = 0; worker < std::min(cores, lines.size()); ++worker)
    workers.push_back(std::async(std::launch::async, take_lines));
  for (std::future<void>& worker : workers) worker.wait();
  for (std::future<void>& worker : workers) worker.get();
}

}  // namespace gemmlab::runner
