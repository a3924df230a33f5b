#include "gpu/libraries/nccl.h"

#include <numeric>
#include <stdexcept>

#include "gpu/libraries/nccl_library.h"

namespace gemmlab::gpu {
namespace {

constexpr int kSuccess = 0;
constexpr int kFloat32 = 7;

}  // namespace

Nccl::Nccl(const DynamicLibrary& library) : library_(library) {
  if (!library_.found()) why_not_ = "NCCL was not found (" + library_.why() + ")";
  const auto take = [&](auto& function, const char* name) {
    library_.take(function, name, "NCCL", why_not_);
  };
  take(get_version_, "ncclGetVersion");
  take(error_string_, "ncclGetErrorString");
  take(init_all_, "ncclCommInitAll");
  take(group_start_, "ncclGroupStart");
  take(group_end_, "ncclGroupEnd");
  take(send_, "ncclSend");
  take(receive_, "ncclRecv");
}

void Nccl::check(int result, const char* call) const {
  if (result == kSuccess) return;
  throw std::runtime_error(std::string(call) + " answered " + std::to_string(result) + " (" +
                           error_string_(result) + ")");
}

std::string Nccl::version() const {
  int number = 0;
  check(get_version_(&number), "ncclGetVersion");
  if (number < 10000) number += number / 1000 * 9000;  // 2.8 was 2800, 2.9 is 20900
  return library_version(number);
}

std::vector<Nccl::Communicator> Nccl::communicators(int cards) const {
  std::vector<int> devices(static_cast<std::size_t>(cards));
  std::iota(devices.begin(), devices.end(), 0);
  std::vector<Communicator> made(devices.size());
  check(init_all_(made.data(), cards, devices.data()), "ncclCommInitAll");
  return made;
}

void Nccl::begin_group() const {
  check(group_start_(), "ncclGroupStart");
}

void Nccl::end_group() const {
  check(group_end_(), "ncclGroupEnd");
}

void Nccl::send(const float* from, std::int64_t floats, int peer, Communicator card,
                cudaStream_t stream) const {
  check(send_(from, static_cast<std::size_t>(floats), kFloat32, peer, card, stream), "ncclSend");
}

void Nccl::receive(float* to, std::int64_t floats, int peer, Communicator card, cudaStream_t stream) const {
  check(receive_(to, static_cast<std::size_t>(floats), kFloat32, peer, card, stream), "ncclRecv");
}

const Nccl& nccl() {
  static const Nccl library(nccl_library());
  return library;
}

}  // namespace gemmlab::gpu
