#include "emulator/runtime/checks/wording.h"

#include "emulator/runtime/run.h"

namespace gemmlab::emulation {

const char* verb(Operation operation) {
  return operation == Operation::kLoad ? "reads" : operation == Operation::kStore ? "writes" : "changes";
}

std::string block_text(const uint3& block) {
  return "block (" + std::to_string(block.x) + ", " + std::to_string(block.y) + ", " +
         std::to_string(block.z) + ")";
}

std::string who() {
  return thread_text(current->index) + " of " + block_text(run().block_now());
}

Finding finding_at(const char* kind, Operation operation, std::int64_t offset) {
  constexpr const char* kOperations[] = {"read", "write", "atomic"};
  Finding finding;
  finding.kind = kind;
  finding.place = current->place;
  finding.operation = kOperations[static_cast<int>(operation)];
  finding.offset = offset;
  return finding;
}

}  // namespace gemmlab::emulation
