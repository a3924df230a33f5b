#pragma once

// The isas that loops.cpp is compiled for here, in rising order; CMakeLists.txt makes an object library of
// each. X is called with the isa and whatever else it is given.
#if defined(__x86_64__)
#define GEMMLAB_EVERY_ISA(X, ...) X(baseline, __VA_ARGS__) X(avx2, __VA_ARGS__) X(avx512, __VA_ARGS__)
#elif defined(__aarch64__)
#define GEMMLAB_EVERY_ISA(X, ...) X(baseline, __VA_ARGS__) X(neon, __VA_ARGS__)
#else
#define GEMMLAB_EVERY_ISA(X, ...) X(baseline, __VA_ARGS__)
#endif

// Those that kernels are compiled for: the same, or in a program for a first look one (cmake/Only.cmake).
#if defined(GEMMLAB_ONLY_ISA)
#define GEMMLAB_EACH_ISA(X, ...) GEMMLAB_ONE_ISA(X, GEMMLAB_ONLY_ISA, __VA_ARGS__)
#define GEMMLAB_ONE_ISA(X, isa, ...) X(isa, __VA_ARGS__)
#else
#define GEMMLAB_EACH_ISA(X, ...) GEMMLAB_EVERY_ISA(X, __VA_ARGS__)
#endif
