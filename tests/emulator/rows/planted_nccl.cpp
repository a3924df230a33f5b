// A library with the calls of NCCL that the suite makes, for the emulator's cards: what is sent and received is copied by the
// emulator, in the stream of the one that receives, behind what both streams held. It is as strict as NCCL: of one group both sides of
// a way must be asked for, and for as many floats.

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "emulator/planted_runtime.h"
#include "tests/emulator/rows/planted_communicator.h"

namespace {

using Communicator = gemmlab::emulation::PlantedCommunicator;
using gemmlab::emulation::PlantedRuntime;

constexpr int kSuccess = 0;
constexpr int kUnhandledCudaError = 1;
constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
constexpr int kFloat32 = 7;

PlantedRuntime runtime;

struct Half {
  const float* from = nullptr;
  float* to = nullptr;
  std::size_t floats = 0;
  cudaStream_t stream = nullptr;
};

int depth = 0;
std::map<std::pair<int, int>, std::deque<Half>> sends;  // by the sending card and the receiving one
std::map<std::pair<int, int>, std::deque<Half>> receives;

/// The call that $GEMMLAB_PLANTED_NCCL_FAULT names answers that CUDA failed.
bool spoilt(const char* call) {
  const char* const fault = std::getenv("GEMMLAB_PLANTED_NCCL_FAULT");
  return fault != nullptr && std::strcmp(fault, call) == 0;
}

/// `later` goes on behind what `earlier` holds, streams of these cards.
bool behind(cudaStream_t later, int later_card, cudaStream_t earlier, int earlier_card) {
  cudaEvent_t event = nullptr;
  return runtime.set_device(earlier_card) == cudaSuccess &&
         runtime.create_event(&event, cudaEventDisableTiming) == cudaSuccess &&
         runtime.record(event, earlier) == cudaSuccess && runtime.set_device(later_card) == cudaSuccess &&
         runtime.wait(later, event, 0) == cudaSuccess;
}

int go(int from_card, const Half& send, int to_card, const Half& receive) {
  if (send.floats != receive.floats) return kInvalidUsage;
  const bool done = behind(receive.stream, to_card, send.stream, from_card) &&
                    runtime.copy(receive.to, send.from, sizeof(float) * send.floats, cudaMemcpyDeviceToDevice,
                                 receive.stream) == cudaSuccess &&
                    behind(send.stream, from_card, receive.stream, to_card);
  return done ? kSuccess : kUnhandledCudaError;
}

int go_all() {
  int result = kSuccess;
  for (auto& [cards, halves] : sends) {
    std::deque<Half>& others = receives[cards];
    if (halves.size() != others.size()) result = kInvalidUsage;
    for (std::size_t i = 0; i < halves.size() && result == kSuccess; ++i)
      result = go(cards.first, halves[i], cards.second, others[i]);
  }
  for (const auto& [cards, halves] : receives) {
    if (sends[cards].size() != halves.size()) result = kInvalidUsage;
  }
  sends.clear();
  receives.clear();
  return result;
}

}  // namespace

extern "C" {

void gemmlab_planted_take_runtime(const PlantedRuntime& given) {
  runtime = given;
}

int ncclGetVersion(int* version) {
  *version = 22809;
  return kSuccess;
}

const char* ncclGetErrorString(int result) {
  if (result == kUnhandledCudaError) return "unhandled cuda error";
  return result == kInvalidArgument ? "invalid argument" : "invalid usage";
}

int ncclCommInitAll(void** communicators, int cards, const int* devices) {
  if (spoilt("ncclCommInitAll")) return kUnhandledCudaError;
  if (cards < 1) return kInvalidArgument;
  for (int card = 0; card < cards; ++card) {
    if (devices[card] != card) return kInvalidArgument;
    communicators[card] = new Communicator{card, cards};  // the suite keeps them to the end
  }
  return kSuccess;
}

int ncclGroupStart() {
  if (spoilt("ncclGroupStart")) return kUnhandledCudaError;
  ++depth;
  return kSuccess;
}

int ncclGroupEnd() {
  if (--depth > 0) return kSuccess;
  int before = 0;
  runtime.get_device(&before);
  const int result = go_all();
  runtime.set_device(before);
  return spoilt("ncclGroupEnd") ? kUnhandledCudaError : result;
}

int ncclSend(const void* from, std::size_t count, int type, int peer, void* communicator,
             cudaStream_t stream) {
  const auto* const own = static_cast<const Communicator*>(communicator);
  if (spoilt("ncclSend")) return kUnhandledCudaError;
  if (depth == 0 || type != kFloat32 || peer < 0 || peer >= own->cards) return kInvalidArgument;
  sends[{own->card, peer}].push_back({static_cast<const float*>(from), nullptr, count, stream});
  return kSuccess;
}

int ncclRecv(void* to, std::size_t count, int type, int peer, void* communicator, cudaStream_t stream) {
  const auto* const own = static_cast<const Communicator*>(communicator);
  if (spoilt("ncclRecv")) return kUnhandledCudaError;
  if (depth == 0 || type != kFloat32 || peer < 0 || peer >= own->cards) return kInvalidArgument;
  receives[{peer, own->card}].push_back({nullptr, static_cast<float*>(to), count, stream});
  return kSuccess;
}

}  // extern "C"
