#include "gpu/gemm/multi/exchange.h"

#include <map>
#include <mutex>

namespace gemmlab::gpu {

const std::vector<Nccl::Communicator>& communicators_of(int cards) {
  static std::mutex mutex;
  static std::map<int, std::vector<Nccl::Communicator>> made;
  const std::lock_guard<std::mutex> lock(mutex);
  std::vector<Nccl::Communicator>& those = made[cards];
  if (those.empty()) those = nccl().communicators(cards);
  return those;
}

NcclExchange::NcclExchange(int cards) : communicators_(communicators_of(cards)) {}

void NcclExchange::run(const std::vector<Way>& ways, const std::vector<cudaStream_t>& streams) const {
  nccl().in_group([&] {
    for (const Way& way : ways) {
      if (way.floats == 0) continue;
      const auto from = static_cast<std::size_t>(way.from_card);
      const auto to = static_cast<std::size_t>(way.to_card);
      nccl().send(way.from, way.floats, way.to_card, communicators_[from], streams[from]);
      nccl().receive(way.to, way.floats, way.from_card, communicators_[to], streams[to]);
    }
  });
}

void NcclExchange::add_to(Facts& facts) {
  facts["library"] = nccl().path();
  facts["version"] = nccl().version();
}

}  // namespace gemmlab::gpu
