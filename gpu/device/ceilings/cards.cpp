// What links of several cards carry: from card to card, and between the host and all of them at once.

#include <memory>
#include <vector>

#include "gpu/device/ceilings/ceilings.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/host_memory.h"
#include "gpu/gemm/multi/on_card.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kFloats = std::int64_t{64} << 20;

/// Memory, page-locked memory and a stream of each card that can be seen.
class Links {
 public:
  explicit Links(int cards) {
    for (int card = 0; card < cards; ++card) {
      const OnCard here(card);
      ends_.push_back(std::make_unique<End>());
    }
  }

  int cards() const { return static_cast<int>(ends_.size()); }

  /// Starts what `copy` puts into the streams of the first `cards` behind the default stream, which waits for it.
  template <typename Copy>
  void run(int cards, const Copy& copy) const {
    fork_.record(nullptr);
    for (int card = 0; card < cards; ++card) {
      const OnCard here(card);
      fork_.wait_in(at(card).stream.get());
      copy(card, at(card).stream.get());
      at(card).done.record(at(card).stream.get());
    }
    for (int card = 0; card < cards; ++card) at(card).done.wait_in(nullptr);
  }

  /// From the next card, the last from the first.
  void from_next(int card, std::int64_t floats, cudaStream_t stream) const {
    const int next = (card + 1) % cards();
    copy_rows({at(card).in.floats(), floats, card}, {at(next).out.floats(), floats, next}, 1, floats, stream);
  }
  void from_host(int card, std::int64_t floats, cudaStream_t stream) const {
    const auto* host = static_cast<const float*>(at(card).host.data());
    copy_rows({at(card).in.floats(), floats, card}, {host, floats, kHostMemory}, 1, floats, stream);
  }
  void to_host(int card, std::int64_t floats, cudaStream_t stream) const {
    auto* host = static_cast<float*>(at(card).host.data());
    copy_rows({host, floats, kHostMemory}, {at(card).out.floats(), floats, card}, 1, floats, stream);
  }

 private:
  struct End {
    CardStream stream;
    CardEvent done;
    DeviceMemory in{bytes_of(kFloats)};
    DeviceMemory out{bytes_of(kFloats)};
    HostBuffer host{static_cast<std::int64_t>(bytes_of(kFloats)), HostMemory::kPinned};
  };
  const End& at(int card) const { return *ends_[static_cast<std::size_t>(card)]; }

  CardEvent fork_;
  std::vector<std::unique_ptr<End>> ends_;
};

using Copy = void (Links::*)(int card, std::int64_t floats, cudaStream_t stream) const;

Ceiling measure_links(const Links& links, const char* what, const char* level, int cards, Copy copy) {
  Limit limit;
  limit.what = what;
  limit.level = level;
  limit.unit = "GB/s";
  limit.loop = "cudaMemcpyAsync of " + std::to_string(bytes_of(kFloats) >> 20) + " MiB on each of " +
               std::to_string(cards) + " links at once, all together";
  limit.amount = kFloats;
  limit.units_each = static_cast<double>(sizeof(float)) * cards;
  limit.least_runs = 6;
  limit.warm_up_s = 0;
  return measure(limit, [&](std::int64_t floats) {
    links.run(cards, [&](int card, cudaStream_t stream) { (links.*copy)(card, floats, stream); });
  });
}

}  // namespace

std::vector<Ceiling> measure_links_of_cards() {
  int cards = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDeviceCount(&cards));
  if (cards < 2) return {};
  enable_peers(cards);
  const Links links(cards);
  return {measure_links(links, "peer_copy", "one_link", 1, &Links::from_next),
          measure_links(links, "peer_copy", "all_links", cards, &Links::from_next),
          measure_links(links, "transfer_to_devices", "pinned", cards, &Links::from_host),
          measure_links(links, "transfer_from_devices", "pinned", cards, &Links::to_host)};
}

}  // namespace gemmlab::gpu
