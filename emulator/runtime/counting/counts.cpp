#include "emulator/runtime/counting/counts.h"

#include <algorithm>

namespace gemmlab::emulation {
namespace {

constexpr std::uint64_t kSector = 32, kLine = 128;
constexpr unsigned kBanks = 32, kBankBytes = 4;

/// The lanes that are served together: all for up to 4 bytes per lane, halves of the warp for 8, quarters for 16. Calls `part`
/// with the masks of two neighbouring parts, which may be joined; the second is 0 where there is none.
template <typename Part>
void for_pairs(unsigned bytes, const Part& part) {
  if (bytes < 8) return part(0xffffffffu, 0u);
  if (bytes < 16) return part(0x0000ffffu, 0xffff0000u);
  part(0x000000ffu, 0x0000ff00u);
  part(0x00ff0000u, 0xff000000u);
}

/// Do all lanes read the same as their neighbour, or as the next but one? Then two parts of a warp are served together.
bool in_pairs(const WarpRequest& request, unsigned mask) {
  const auto alike = [&](unsigned step) {
    for (unsigned left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned other = lane ^ step;
      if ((mask >> other & 1) != 0 && request.at[lane] != request.at[other]) return false;
    }
    return true;
  };
  return alike(1) || alike(2);
}

/// The most different words that fall into one bank, over the lanes of `mask`.
unsigned passes(const WarpRequest& request, unsigned mask) {
  std::array<std::array<std::uint32_t, kLanes * 4>, kBanks> words;  // by bank
  std::array<unsigned, kBanks> count{};
  unsigned most = 0;
  for (unsigned left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(__builtin_ctz(left));
    const std::uint64_t first = request.at[lane] / kBankBytes;
    const std::uint64_t last = (request.at[lane] + request.bytes - 1) / kBankBytes;
    for (std::uint64_t word = first; word <= last; ++word) {
      const unsigned bank = static_cast<unsigned>(word % kBanks);
      const auto* begin = words[bank].data();
      if (std::find(begin, begin + count[bank], static_cast<std::uint32_t>(word)) != begin + count[bank])
        continue;
      words[bank][count[bank]++] = static_cast<std::uint32_t>(word);
      most = std::max(most, count[bank]);
    }
  }
  return most;
}

/// Passes that the different words of the lanes of `mask` would take if they were spread over all banks.
unsigned rounds(const WarpRequest& request, unsigned mask) {
  std::array<std::uint64_t, kLanes * 4> words;
  unsigned count = 0;
  for (unsigned left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(__builtin_ctz(left));
    for (std::uint64_t at = request.at[lane]; at < request.at[lane] + request.bytes; at += kBankBytes) {
      words[count++] = at / kBankBytes;
    }
  }
  std::sort(words.begin(), words.begin() + count);
  const auto distinct =
      static_cast<unsigned>(std::unique(words.begin(), words.begin() + count) - words.begin());
  return (distinct + kBanks - 1) / kBanks;
}

using Served = unsigned (*)(const WarpRequest& request, unsigned mask);

/// Lanes whose copies come from one line are served together.
unsigned copy_passes(const WarpRequest& request, Served served) {
  unsigned sum = 0;
  unsigned left = request.mask;
  while (left != 0) {
    const std::uint64_t line = request.source[static_cast<std::size_t>(__builtin_ctz(left))] / kLine;
    unsigned together = 0;
    for (unsigned each = left; each != 0; each &= each - 1) {
      const auto lane = static_cast<std::size_t>(__builtin_ctz(each));
      if (request.source[lane] / kLine == line) together |= 1u << lane;
    }
    sum += served(request, together);
    left &= ~together;
  }
  return std::max(1u, sum);
}

/// What a request takes where `served` says in how many passes some of its lanes are served.
unsigned passes_by(const WarpRequest& request, Served served) {
  if (request.asynchronous) return copy_passes(request, served);
  unsigned sum = 0;
  for_pairs(request.bytes, [&](unsigned first, unsigned second) {
    const unsigned both = (first | second) & request.mask;
    sum += second == 0 || in_pairs(request, both)
               ? served(request, both)
               : served(request, both & first) + served(request, both & second);
  });
  return std::max(1u, sum);
}

}  // namespace

unsigned wavefronts(const WarpRequest& request) {
  return passes_by(request, passes);
}

unsigned least_wavefronts(const WarpRequest& request) {
  return passes_by(request, rounds);
}

void Counter::count(const WarpRequest& request, unsigned live, const uint3& block, int warp, Caches* caches,
                    int sm) {
  SiteCounts& site =
      counts_.sites[{request.place, request.bytes, request.space, request.operation, request.asynchronous}];
  ++counts_.requests;
  if (site.requests == 0) {
    site.example_block = block;
    site.example_warp = warp;
    for (int lane = 0; lane < kLanes; ++lane) {
      site.example[lane] = (request.mask >> lane & 1) != 0 ? static_cast<std::int64_t>(request.at[lane]) : -1;
    }
  }
  ++site.requests;
  site.lanes += static_cast<std::uint64_t>(__builtin_popcount(request.mask));
  if (request.mask != live) {
    ++site.divergent;
    ++counts_.divergent_requests;
  }
  if (request.space == Space::kShared) {
    const unsigned taken = wavefronts(request);
    const unsigned least = least_wavefronts(request);
    site.wavefronts += taken;
    site.least_wavefronts += least;
    site.degree_worst = std::max<std::uint64_t>(site.degree_worst, taken / least);
    return;
  }
  count_global(request, site, caches, sm);
}

void Counter::take_bulk(const SiteKey& key, std::uint64_t at, std::uint64_t bytes, Caches* caches) {
  SiteCounts& site = counts_.sites[key];
  if (site.requests == 0) {
    site.example.fill(-1);
    site.example[0] = static_cast<std::int64_t>(at);
  }
  ++site.requests;
  site.lanes += bytes / key.bytes;
  if (key.space == Space::kShared) {
    const std::uint64_t passes = (bytes + kLine - 1) / kLine;
    site.wavefronts += passes;
    site.least_wavefronts += passes;
    return;
  }
  const std::uint64_t end = at + bytes;
  const std::uint64_t sectors = (end + kSector - 1) / kSector - at / kSector;
  site.sectors += sectors;
  site.least_sectors += sectors;
  site.l1_miss_sectors += sectors;
  const bool load = key.operation == Operation::kLoad;
  (load ? counts_.l2_read_sectors : counts_.l2_write_sectors) += sectors;
  for (std::uint64_t sector = at / kSector; sector * kSector < end; ++sector) {
    const std::uint64_t line = sector * kSector / kLine;
    const unsigned wanted = 1u << (sector % (kLine / kSector));
    const Moved moved = load ? caches->load_past_l1(line, wanted) : caches->store(line, wanted);
    site.l2_miss_sectors += moved.l2_misses;
    counts_.dram_read_sectors += moved.l2_misses;
    counts_.dram_write_sectors += moved.written_back;
  }
}

void Counter::count_global(const WarpRequest& request, SiteCounts& site, Caches* caches, int sm) {
  std::array<std::uint64_t, kLanes * 2> sectors;
  unsigned count = 0;
  std::uint64_t bytes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((request.mask >> lane & 1) == 0) continue;
    bytes += request.bytes;
    sectors[count++] = request.at[lane] / kSector;
  }
  std::sort(sectors.begin(), sectors.begin() + count);
  count = static_cast<unsigned>(std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
  site.sectors += count;
  site.least_sectors += std::min<std::uint64_t>(count, (bytes + kSector - 1) / kSector);
  for (unsigned i = 0; i < count;) {
    const std::uint64_t line = sectors[i] * kSector / kLine;
    unsigned wanted = 0;
    for (; i < count && sectors[i] * kSector / kLine == line; ++i)
      wanted |= 1u << (sectors[i] % (kLine / kSector));
    ++site.lines;
    const bool load = request.operation == Operation::kLoad;
    const Moved moved = load ? caches->load(sm, line, wanted) : caches->store(line, wanted);
    site.l1_miss_sectors += moved.l1_misses;
    site.l2_miss_sectors += moved.l2_misses;
    (load ? counts_.l2_read_sectors : counts_.l2_write_sectors) +=
        load ? moved.l1_misses : static_cast<unsigned>(__builtin_popcount(wanted));
    counts_.dram_read_sectors += moved.l2_misses;
    counts_.dram_write_sectors += moved.written_back;
  }
}

}  // namespace gemmlab::emulation
