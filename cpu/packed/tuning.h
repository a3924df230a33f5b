#pragma once

// Every number of cpu.packed that was chosen by measuring, in one place. What was tried, and what it gave, is in
// cpu/README.md.

#include "cpu/packed/simd.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

// The register tile: kTileRows × kTileVectors sums, kTileVectors registers of B and one broadcast element of A
// must fit the register file (32 registers with AVX-512 and NEON, 16 otherwise).
#if defined(__AVX512F__)
constexpr int kTileRows = 14;
constexpr int kTileVectors = 2;
#elif defined(__aarch64__)
constexpr int kTileRows = 8;
constexpr int kTileVectors = 3;
#else
constexpr int kTileRows = 6;
constexpr int kTileVectors = 2;
#endif
constexpr int kTileCols = kTileVectors * kLanes;

// Floats between the rows of a copied panel of A, beyond its terms: rows a power of two apart share cache sets.
constexpr std::int64_t kCopyPad = 16;
// From so many columns on a panel of A is copied before it is used.
#ifndef COPYFROM
#define COPYFROM 64
#endif
constexpr std::int64_t kCopyFromCols = COPYFROM;

// Caches of a machine that does not say.
constexpr std::int64_t kUnknownL1 = 32 << 10;
constexpr std::int64_t kUnknownL2 = 512 << 10;

// A block of B takes this share of L2.
#ifndef L2NUM
#define L2NUM 3
#endif
#ifndef KCX
#define KCX 256
#endif
constexpr double kShareOfL2 = L2NUM / 8.0;

// Up to so many rows, cpu.packed reads B in place and once (path few_rows); up to so many columns it takes the
// whole of A's rows at a time (path few_columns).
constexpr std::int64_t kFewRows = 32;
constexpr std::int64_t kFewCols = 32;
#ifndef FRKC
#define FRKC 64
#endif
constexpr std::int64_t kFewRowsKc = FRKC;
constexpr std::int64_t kFewColsKc = 2048;

// Nothing is packed where m·n·k is no larger.
#ifndef DIRECT
#define DIRECT 128
#endif
constexpr double kDirectTerms = 1.0 * DIRECT * DIRECT * DIRECT;

// Multiply-adds that a further thread must find.
constexpr double kTermsAThread = 200e3;

}  // namespace GEMMLAB_KERNEL_NAMESPACE
