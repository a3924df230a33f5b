#pragma once

// The GPU side as the rest sees it. Without CUDA in the build the same functions answer from absent.cpp: an
// empty list, no backend. The parent process calls nothing here but implementations(), known_rows() and
// built_with_cuda(): CUDA is touched only by a worker, and by the hidden command `multiply`, which runs its
// one product in a process of its own.

#include <memory>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/implementation.h"
#include "core/machine/ceiling.h"
#include "core/machine/machine.h"

namespace gemmlab::gpu {

/// Was CUDA there when this was built?
bool built_with_cuda();

/// Every GPU implementation, in the order of the ladder: naive first, references last. THE list is in rows.txt.
/// Descriptions are readable without a driver.
const std::vector<const Implementation*>& implementations();

/// The ids of all rows, and what they compute, also in a build without CUDA, so that a misspelt one
/// is refused anywhere.
struct KnownRow {
  std::string id;
  std::string operation;
};
const std::vector<KnownRow>& known_rows();

/// The GPUs of this machine; empty without CUDA, without a driver or without a card.
std::vector<GpuInfo> gpus();

/// Why no GPU can be used ("built without CUDA", "no NVIDIA driver", "no GPU found"); empty when one can.
std::string unavailable();

/// The stream (a cudaStream_t) that sessions put their work into from now on, where no backend is there;
/// nullptr: the default stream. Without CUDA nothing happens.
void use_stream(void* stream);

/// Memory, stream and events of the first GPU. Throws std::runtime_error with unavailable() where
/// there is none.
std::unique_ptr<Backend> make_backend();

/// FFMA peak, read bandwidth of L2 and DRAM, copy bandwidth, and host transfers of the first GPU, each
/// self-checked. About 2 s. Empty without a GPU.
std::vector<Ceiling> measure_ceilings();

/// What events and launches themselves cost on the first GPU; far under a second. Empty without a GPU.
std::vector<Cost> measure_costs();

}  // namespace gemmlab::gpu
