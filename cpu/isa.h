#pragma once

// The isas that kernels are compiled for here, in rising order; CMakeLists.txt makes an object library of
// each. X is called with the isa and whatever else it is given.
#if defined(__x86_64__)
#define GEMMLAB_EACH_ISA(X, ...) X(baseline, __VA_ARGS__) X(avx2, __VA_ARGS__) X(avx512, __VA_ARGS__)
#elif defined(__aarch64__)
#define GEMMLAB_EACH_ISA(X, ...) X(baseline, __VA_ARGS__) X(neon, __VA_ARGS__)
#else
#define GEMMLAB_EACH_ISA(X, ...) X(baseline, __VA_ARGS__)
#endif
