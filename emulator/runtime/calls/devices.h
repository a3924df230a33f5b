#pragma once

// Several cards: GEMMLAB_EMULATED_DEVICES of them, alike, with one memory limit for all.

namespace gemmlab::emulation {

inline constexpr int kMostDevices = 8;

/// 1 where the variable is not set, or says nothing from 1 to kMostDevices.
int device_count();
/// That of the calling thread of the host, as cudaSetDevice has it.
int current_device();
/// May kernels of `device` touch memory of `owner`: its own, or that of a peer whose access was enabled?
bool may_touch(int device, int owner);
/// Forgets which peers were enabled.
void forget_peers();

}  // namespace gemmlab::emulation
