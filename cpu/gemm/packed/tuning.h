#pragma once

// Every number of cpu.packed that was chosen by measuring, in one place. What was tried and what it gave is
// in docs/notebook/cpu_packed.md; the AVX-512 numbers follow trials on a Zen 4 (32 KiB of L1, 1 MiB of L2 per core) and a
// Xeon (48 KiB, 2 MiB).

#include "cpu/device/simd.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

// The register tile: kTileRows × kTileVectors sums, kTileVectors registers of B and one broadcast element of
// A must fit the register file (32 registers with AVX-512 and NEON, 16 otherwise). kc: the panel of B that a
// tile reads, kc × kTileCols, takes this share of L1; where it is more than all, it comes from L2 each time. Beyond
// kMostKc C is read and written less often, and no faster for it: the block of B gets narrower instead.
#if defined(__AVX512F__)
constexpr int kTileRows = 14;
constexpr int kTileVectors = 2;
constexpr double kPanelShareOfL1 = 2;
constexpr std::int64_t kMostKc = 512;
#elif defined(__aarch64__)
constexpr int kTileRows = 8;
constexpr int kTileVectors = 3;
constexpr double kPanelShareOfL1 = 0.5;
constexpr std::int64_t kMostKc = 2048;
#elif defined(__AVX2__)
constexpr int kTileRows = 6;
constexpr int kTileVectors = 2;
constexpr double kPanelShareOfL1 = 0.5;
constexpr std::int64_t kMostKc = 2048;
#else
// a product that is not fused takes a register more, and a copy of a factor another
constexpr int kTileRows = 4;
constexpr int kTileVectors = 2;
constexpr double kPanelShareOfL1 = 0.5;
constexpr std::int64_t kMostKc = 2048;
#endif
constexpr int kTileCols = kTileVectors * kLanes;

constexpr int kLineFloats = 16;

// Terms a round of the tile's loop. Four of those that are not fused made GCC 12 spill 77 registers.
#if defined(__AVX2__) || defined(__aarch64__)
constexpr int kUnroll = 4;
#else
constexpr int kUnroll = 1;
#endif

// nc: a block of B, kc × nc, takes this share of a core's L2; C and A pass through the rest.
constexpr double kBlockShareOfL2 = 0.5;

// Up to so much more than nc, all columns make one block, and A is read in place.
constexpr double kMostOverNc = 4.0 / 3;

// Rows of A a multiple of 4 KiB apart, or nearly so, lie in the same sets of L1, of 8 lines or a few more. A
// higher tile than that throws its own lines out. Up to kMostColsOfLowTiles columns it is made lower, beyond
// them its rows are copied.
constexpr std::int64_t kSetPeriodFloats = 1024;
constexpr int kLowTileRows = kTileRows < 8 ? kTileRows : 8;
constexpr std::int64_t kMostColsOfLowTiles = 128;
GEMMLAB_INLINE bool share_sets(std::int64_t stride) {
  const std::int64_t above = stride % kSetPeriodFloats;
  const std::int64_t apart = above < kSetPeriodFloats / 2 ? above : kSetPeriodFloats - above;
  return stride > kSetPeriodFloats / 2 && apart * kTileRows < kLineFloats;
}

// A that several blocks of B meet is copied, too, if it has more rows than this: each lies on a page of its
// own, as do those of C, and the processor keeps the addresses of 2,000 to 3,000 pages.
constexpr std::int64_t kMostRowsInPlace = 1024;

// mc: a copied block of A, mc × kc, should stay in L3.
constexpr std::int64_t kMostMc = 1024;

// Floats between the copied rows of A, beyond its terms: rows a power of two apart would share cache sets.
constexpr std::int64_t kCopyPad = 16;

// Rows of B asked for ahead: of one that is being copied, and of one that a tile reads in place and keeps.
constexpr std::int64_t kAheadRows = 4;
constexpr std::int64_t kAheadRowsOfTile = 16;

// What a tile asks for at a time: memory hands out lines in pairs.
constexpr int kAskedFloats = kTileCols > 2 * kLineFloats ? kTileCols : 2 * kLineFloats;

// Of up to so many terms C takes longer than the sums: a tile asks for C so many tiles ahead, and into L2, where
// more lines can be on their way. Such tiles are low: 14 rows of C a power of two apart are more lines than a set of
// L1 has. With more floats of C than caches keep, they are taken however few multiply-adds there are.
constexpr std::int64_t kTermsOfFarC = 64;
constexpr std::int64_t kFarTiles = 4;
constexpr std::int64_t kMostFloatsOfNearC = 4 << 20;

// Where a thread's C of so few terms is more than its L2, tiles take two panels of B: B is read less often, and rows of
// C are written in longer runs. They ask for no C: on a Xeon that was slower than the stores alone (docs/notebook/).
// 6 × 64 sums, four registers of B and an element of A are 29 of 32 registers.
#if defined(__AVX512F__)
constexpr int kPairRows = 6;
#else
constexpr int kPairRows = 0;
#endif

// Caches of a machine that does not say.
constexpr std::int64_t kUnknownL1 = 32 << 10;
constexpr std::int64_t kUnknownL2 = 512 << 10;

// Nothing is copied up to this many multiply-adds per thread.
constexpr double kDirectTerms = 256.0 * 256 * 256;

// Nor where a thread's part of B has more floats than this and is read by several row panels.
constexpr std::int64_t kMostFloatsInPlace = 64 << 10;

// A of up to so many floats is near anyway, and not asked for ahead.
constexpr std::int64_t kNearFloats = 16 << 10;

// The path few_rows: up to this many rows, on few threads: more threads have L2 enough between them for copies of
// B. Its terms at a time: where B's rows share cache sets, no more than
// fill this share of those of L2, since each row panel reads them again.
constexpr std::int64_t kFewRows = 16;
constexpr int kThreadsOfFewRows = 2;
constexpr std::int64_t kFewRowsKc = 256;
constexpr std::int64_t kFewRowsLeastKc = 32;
constexpr double kRowsShareOfL2 = 0.75;

// The path few_columns: up to this many columns; long rows of A, so that the memory streams them.
constexpr std::int64_t kFewCols = 32;
constexpr std::int64_t kFewColsKc = 2048;

// Multiply-adds that each thread must find, and terms of each part where the terms are shared out. With few
// cores threads find each other sooner.
constexpr double kTermsAThread = 200e3;
constexpr double kTermsAThreadOfFew = 130e3;
constexpr int kFewCores = 4;
constexpr std::int64_t kLeastTermsAPart = 512;

}  // namespace GEMMLAB_KERNEL_NAMESPACE
