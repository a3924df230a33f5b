#include "emulator/runtime/checks/clocks.h"

#include <algorithm>

namespace gemmlab::emulation {

void merge(Seen& into, const Seen& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void release(Thread& thread, Seen& into) {
  if (thread.seen.size() <= thread.number) thread.seen.resize(thread.number + std::size_t{1});
  thread.seen[thread.number] = thread.clock++;
  merge(into, thread.seen);
}

void acquire(Thread& thread, const Seen& from) {
  merge(thread.seen, from);
}

void meet(const std::vector<Thread*>& threads) {
  Seen all;
  for (Thread* each : threads) release(*each, all);
  for (Thread* each : threads) each->seen = all;
}

}  // namespace gemmlab::emulation
