// device.h in a build without CUDA: no handle has anything on a device.

#include <stdexcept>

#include "api/device.h"

namespace gemmlab::api {

int current_device() {
  return 0;
}

RelaxedCapture::RelaxedCapture() = default;
RelaxedCapture::~RelaxedCapture() = default;

bool is_captured(void*) {
  return false;
}
void held_by_graph(void*, std::shared_ptr<void>) {}
void release_of_graphs() {}
void* side_stream() {
  return nullptr;
}
void wait_for_stream(void*) {}

Workspace::Workspace(void* memory, std::size_t bytes) : memory_(static_cast<char*>(memory)), bytes_(bytes) {}
Workspace::~Workspace() = default;

Placement::Placement(Workspace* workspace) : workspace_(workspace), before_(nullptr) {}
Placement::~Placement() = default;

struct HostOperands::Memory {};
HostOperands::HostOperands() = default;
HostOperands::~HostOperands() = default;
HostOperands::Device HostOperands::upload(void*, const Shape&, const GemmForm&, const GemmTypes&,
                                          const void* a, const void* b, const void*) {
  return {a, b, nullptr};
}
void HostOperands::download(void*, const Shape&, const GemmForm&, ElementType, void*) {}

std::unique_ptr<Session> with_bias(std::unique_ptr<Session>, const Shape&, const GemmForm&, ElementType,
                                   ElementType) {
  throw std::logic_error("a bias without a device");  // calls that have one come from the card's libraries
}

}  // namespace gemmlab::api
