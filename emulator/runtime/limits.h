#pragma once

// What the emulated card allows: what every card from compute capability 7.5 on allows, and an H200's shared memory.

#include <cstdint>

namespace gemmlab::emulation {

inline constexpr std::uint64_t kMostThreadsPerBlock = 1024;
inline constexpr std::uint64_t kMostBlockX = 1024, kMostBlockY = 1024, kMostBlockZ = 64;
inline constexpr std::uint64_t kMostGridX = 2147483647, kMostGridYZ = 65535;
inline constexpr std::uint64_t kStaticSharedBytes = 48 << 10;  ///< and dynamic ones that were not asked for
inline constexpr std::uint64_t kMostSharedBytes = 227 << 10;
inline constexpr std::uint64_t kRegistersPerBlock = 65536;
inline constexpr int kSmCount = 132;
inline constexpr int kThreadsPerSm = 2048;
inline constexpr int kBlocksPerSm = 32;
inline constexpr std::uint64_t kSharedPerSm = 228 << 10;
inline constexpr std::uint64_t kL1Bytes = 256 << 10;  ///< shared memory is taken from it
inline constexpr std::uint64_t kL2Bytes = 50 << 20;

}  // namespace gemmlab::emulation
