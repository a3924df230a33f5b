// The counting part of a run.

#include <algorithm>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/limits.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {
namespace {

constexpr std::size_t kTimelineWarps = 64, kTimelineStretches = 64;

/// Offsets in the arena become offsets in the array that holds them.
void name_array(SiteCounts& site, Space space) {
  const auto first =
      std::find_if(site.example.begin(), site.example.end(), [](std::int64_t at) { return at >= 0; });
  if (first == site.example.end()) return;
  std::uint64_t begin = 0;
  if (space == Space::kShared) {
    const SharedPlace* place = shared_memory().find(static_cast<std::uint64_t>(*first));
    if (place == nullptr) return;
    site.array = shared_memory().name(*place);
    begin = place->at;
  } else {
    const std::int32_t which = device_memory().owner(static_cast<std::uint64_t>(*first));
    if (which < 0) return;
    site.array = device_memory().allocation(which).name;
    begin = device_memory().allocation(which).at;
  }
  for (std::int64_t& at : site.example) {
    if (at >= 0) at -= static_cast<std::int64_t>(begin);
  }
}

/// Where there are enough of them, two neighbours run on one SM: so an H200's L2 traffic says (experiment gpu_counts).
int sm_of(std::uint64_t block, std::uint64_t blocks) {
  return static_cast<int>((blocks >= 2 * kSmCount ? block / 2 : block) % kSmCount);
}

std::vector<ArrayNote> arrays_now() {
  std::vector<ArrayNote> arrays;
  for (const Allocation& allocation : device_memory().allocations()) {
    if (allocation.live) arrays.push_back({allocation.name, false, allocation.bytes, {}, sizeof(float)});
  }
  for (const SharedPlace& place : shared_memory().places()) {
    ArrayNote note{shared_memory().name(place), true, place.bytes, {}, shared_memory().element_bytes(place)};
    if (place.array != nullptr) std::copy_n(place.array->dims, 3, note.dims);
    arrays.push_back(std::move(note));
  }
  return arrays;
}

}  // namespace

void Run::begin_caches() {
  caches_.reset();
  if (!counting()) return;
  // what shared memory of the blocks that fit on an SM leaves; static arrays are known after the first block only
  const std::uint64_t shared = std::min(kSharedPerSm, counts().dynamic_shared_bytes);
  caches_ = std::make_unique<Caches>(kL1Bytes - std::min(shared, kSharedPerSm));
}

void Run::count_warp(int warp, int first, int lanes, unsigned live) {
  const bool shown = block_number_ == 0 && static_cast<std::size_t>(warp) < kTimelineWarps;
  if (shown) {
    auto& timeline = counts().timeline;
    if (timeline.size() <= static_cast<std::size_t>(warp))
      timeline.resize(static_cast<std::size_t>(warp) + 1, {0});
    std::uint64_t& stretch = timeline[static_cast<std::size_t>(warp)].back();
    for (int lane = 0; lane < lanes; ++lane) stretch += thread(first + lane).log.size();
  }
  Counter(counts()).take(fibers_.threads(), first, lanes, live, block_index_, warp, caches_.get(),
                         sm_of(block_number_, counts().blocks));
}

void Run::count_products(ProductKey key, std::uint64_t multiply_adds) {
  if (counting()) counts().products[key] += multiply_adds;
}

void Run::count_bulk(Space space, Operation operation, const void* at, std::uint64_t bytes) {
  if (!counting() || bytes == 0) return;
  constexpr std::uint32_t kPiece = 16;
  const std::uint64_t offset =
      space == Space::kShared ? shared_memory().offset(at) : device_memory().offset(at);
  Counter(counts()).take_bulk({current->place, kPiece, space, operation, true}, offset, bytes, caches_.get());
}

void Run::note_barrier() {
  counts().barriers += static_cast<std::uint64_t>(
      std::count_if(live_.begin(), live_.end(), [](unsigned live) { return live != 0; }));
  ++counts().block_barriers;
  if (block_number_ != 0) return;
  for (auto& stretches : counts().timeline) {
    if (stretches.size() < kTimelineStretches) stretches.push_back(0);
  }
}

void Run::end_counts() {
  if (!counts_launches()) return;
  LaunchCounts& counts = this->counts();
  counts.static_shared_bytes = shared_memory().static_bytes();
  counts.arrays = arrays_now();
  for (auto& [key, site] : counts.sites) name_array(site, key.space);
}

}  // namespace gemmlab::emulation
