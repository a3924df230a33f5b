#pragma once

// The libraries that calls are passed on to.

namespace gemmlab::blas {

/// A function of that name in the next library of the program that has one; else in the first BLAS (cuBLAS or
/// cublasLt, for names that begin so) that the loader finds. nullptr where there is none.
void* next_address(const char* name);

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(next_address(name));
}

/// Ends the program: a BLAS function cannot say that it has failed.
[[noreturn]] void nobody_has(const char* name);

}  // namespace gemmlab::blas
