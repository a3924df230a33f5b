#include "core/backend.h"

namespace gemmlab {

const char* to_string(Scope scope) {
  switch (scope) {
    case Scope::kKernel:
      return "kernel";
    case Scope::kCall:
      return "call";
    case Scope::kEndToEnd:
      return "end-to-end";
    case Scope::kFirstCall:
      return "first-call";
  }
  throw std::invalid_argument("not a scope: " + std::to_string(static_cast<int>(scope)));
}

Scope scope_from(const std::string& name) {
  for (const Scope scope : {Scope::kKernel, Scope::kCall, Scope::kEndToEnd, Scope::kFirstCall}) {
    if (name == to_string(scope)) return scope;
  }
  throw std::invalid_argument("not a scope: " + name);
}

const char* to_string(Timing timing) {
  switch (timing) {
    case Timing::kLaunch:
      return "launch";
    case Timing::kBatch:
      return "batch";
    case Timing::kGraph:
      return "graph";
  }
  throw std::invalid_argument("not a timing: " + std::to_string(static_cast<int>(timing)));
}

const char* to_string(HostMemory memory) {
  return memory == HostMemory::kPinned ? "pinned" : "pageable";
}

const char* to_string(Allocation allocation) {
  switch (allocation) {
    case Allocation::kNotCounted:
      return "not counted";
    case Allocation::kCounted:
      return "counted";
    case Allocation::kHostToo:
      return "host memory too";
  }
  throw std::invalid_argument("not an allocation: " + std::to_string(static_cast<int>(allocation)));
}

Allocation allocation_from(const std::string& name) {
  for (const Allocation allocation : {Allocation::kNotCounted, Allocation::kCounted, Allocation::kHostToo}) {
    if (name == to_string(allocation)) return allocation;
  }
  throw std::invalid_argument("not an allocation: " + name);
}

bool Conditions::held_down() const {
  int told = 0;
  int held = 0;
  for (const Reading& reading : readings) {
    if (!reading.throttle_reasons) continue;
    ++told;
    held += reading.throttle_reasons->empty() ? 0 : 1;
  }
  return held > kStrayShare * told;
}

void Backend::settle(const Call&) {}

void Backend::sustain(const NextCalls& next, Scope scope, Timing timing, std::uint64_t key,
                      const Took& took) {
  while (took(sample(next(), scope, timing, key))) {
  }
}

void Backend::profiled(const Call& call) {
  call();
  synchronize();
}

}  // namespace gemmlab
