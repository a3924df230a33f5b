#pragma once

// What the planted NCCL hands out and the planted cuBLASMp is given.

namespace gemmlab::emulation {

struct PlantedCommunicator {
  int card = 0;
  int cards = 0;
};

}  // namespace gemmlab::emulation
