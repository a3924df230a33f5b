#pragma once

// Decides, before a call, how cpu.packed shares a product out, and runs each thread's share.

#include "cpu/gemm/method.h"
#include "cpu/gemm/packed/slice.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Which path and blocks, and how many threads: shares of rows, columns and terms such that the busiest
/// thread has the least to do. Fewer threads than allowed where more would cost more than they bring.
Plan make_plan(const Product& p, const Machine& machine);

/// Has C one row or one column, in a plain product? The path of its plan is "gemv".
bool is_vector_product(const Product& p);

/// The part of C of one of plan.threads threads: whole tiles of columns, rows and terms one by one. Which of
/// the shares of the terms goes to k_part.
Slice slice_of(const Product& p, int part, int* k_part);

/// Multiplies it by the plan's path. False where memory for copies lacks.
bool multiply_slice(const Product& p, const Slice& s);

}  // namespace GEMMLAB_KERNEL_NAMESPACE
