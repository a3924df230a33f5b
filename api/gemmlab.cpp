// The functions of gemmlab.h: each turns C's words into a handle's and answers with a code.

#include "api/gemmlab.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "api/answer.h"
#include "api/handle.h"
#include "api/rows.h"
#include "gpu/table.h"

using namespace gemmlab;
using api::answered;
using api::Refusal;

struct gemmlab_handle {
  api::Handle handle;
};

namespace {

api::Handle& of(gemmlab_handle* handle) {
  if (handle == nullptr) throw Refusal(GEMMLAB_INVALID, "the handle is a null pointer");
  return handle->handle;
}

template <typename Result>
Result& place_for(Result* result) {
  if (result == nullptr) throw Refusal(GEMMLAB_INVALID, "the place for the result is a null pointer");
  return *result;
}

api::Choice choice_of(const char* implementation, const char* parameters) {
  if (implementation == nullptr) throw Refusal(GEMMLAB_INVALID, "no implementation is named");
  return {&api::row(implementation), parameters == nullptr ? "" : parameters};
}

GemmForm form_from(int transpose_a, int transpose_b, float alpha, int64_t lda, int64_t ldb, float beta,
                   int64_t ldc) {
  return {transpose_a != 0, transpose_b != 0, alpha, beta, lda, ldb, ldc};
}

/// What GEMMLAB_SOLVE names, else the last rung of a device that is there.
std::string solver() {
  if (const char* chosen = std::getenv("GEMMLAB_SOLVE"); chosen != nullptr && *chosen != '\0') return chosen;
  return api::last_rung_here().description().id;
}

void multiply_plain(const api::Choice& choice, const float* A, const float* B, float* C, const Shape& shape) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1)
    throw Refusal(GEMMLAB_INVALID, "M = " + std::to_string(shape.m) + ", N = " + std::to_string(shape.n) +
                                       ", K = " + std::to_string(shape.k) +
                                       ": every dimension must be at least 1");
  api::default_handle().multiply(choice, {shape, form_of(shape), A, B, C});
}

}  // namespace

int gemmlab_create(gemmlab_handle** handle) {
  return answered([&] { place_for(handle) = std::make_unique<gemmlab_handle>().release(); });
}

int gemmlab_destroy(gemmlab_handle* handle) {
  return answered([&] { delete handle; });
}

int gemmlab_set_implementation(gemmlab_handle* handle, const char* implementation, const char* parameters) {
  return answered([&] { of(handle).set_choice(choice_of(implementation, parameters)); });
}

int gemmlab_set_stream(gemmlab_handle* handle, void* stream) {
  return answered([&] { of(handle).set_stream(stream); });
}

int gemmlab_get_stream(gemmlab_handle* handle, void** stream) {
  return answered([&] { place_for(stream) = of(handle).stream(); });
}

int gemmlab_set_operands(gemmlab_handle* handle, int where) {
  return answered([&] {
    if (where != GEMMLAB_ON_DEVICE && where != GEMMLAB_ON_HOST)
      throw Refusal(GEMMLAB_INVALID, std::to_string(where) +
                                         " is no place of operands: GEMMLAB_ON_DEVICE (0) and "
                                         "GEMMLAB_ON_HOST (1) are allowed");
    of(handle).set_operands_on_host(where == GEMMLAB_ON_HOST);
  });
}

int gemmlab_set_workspace(gemmlab_handle* handle, void* workspace, size_t bytes) {
  return answered([&] { of(handle).set_workspace(workspace, bytes); });
}

int gemmlab_workspace_bytes(gemmlab_handle* handle, int transpose_a, int transpose_b, int64_t M, int64_t N,
                            int64_t K, float alpha, int64_t lda, int64_t ldb, float beta, int64_t ldc,
                            size_t* bytes) {
  return answered([&] {
    place_for(bytes) = of(handle).workspace_bytes(
        {M, N, K}, form_from(transpose_a, transpose_b, alpha, lda, ldb, beta, ldc));
  });
}

int gemmlab_sgemm(gemmlab_handle* handle, int transpose_a, int transpose_b, int64_t M, int64_t N, int64_t K,
                  float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta, float* C,
                  int64_t ldc) {
  return gemmlab_sgemm_strided_batched(handle, transpose_a, transpose_b, M, N, K, alpha, A, lda, 0, B, ldb, 0,
                                       beta, C, ldc, 0, 1);
}

int gemmlab_sgemm_strided_batched(gemmlab_handle* handle, int transpose_a, int transpose_b, int64_t M,
                                  int64_t N, int64_t K, float alpha, const float* A, int64_t lda,
                                  int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b, float beta,
                                  float* C, int64_t ldc, int64_t stride_c, int64_t count) {
  return answered([&] {
    of(handle).multiply({{M, N, K},
                         form_from(transpose_a, transpose_b, alpha, lda, ldb, beta, ldc),
                         A,
                         B,
                         C,
                         stride_a,
                         stride_b,
                         stride_c,
                         count});
  });
}

int gemmlab_multiply(const char* implementation, const char* parameters, const float* A, const float* B,
                     float* C, int64_t M, int64_t N, int64_t K) {
  return answered([&] { multiply_plain(choice_of(implementation, parameters), A, B, C, {M, N, K}); });
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::string by = solver();
  const int answer = answered([&] {
    // solve's N is the inner dimension, its K the columns of C
    multiply_plain(api::choice_from(by), A, B, C, {M, K, N});
  });
  if (answer == GEMMLAB_OK) return;
  std::fprintf(stderr, "gemmlab: solve(M=%d, N=%d, K=%d) by %s: %s\n", M, N, K, by.c_str(), gemmlab_error());
  std::abort();
}

int gemmlab_count(void) {
  return static_cast<int>(api::float32_rows().size());
}

const char* gemmlab_id(int index) {
  if (index < 0 || index >= gemmlab_count()) return nullptr;
  return api::float32_rows()[static_cast<std::size_t>(index)]->description().id.c_str();
}

const char* gemmlab_summary(const char* implementation) {
  const Implementation* one = implementation == nullptr ? nullptr : api::find_row(implementation);
  return one == nullptr ? nullptr : one->description().summary.c_str();
}

const char* gemmlab_unavailable(const char* implementation) {
  if (implementation == nullptr) return nullptr;
  thread_local std::string reason;
  if (const Implementation* one = api::find_row(implementation)) {
    reason = one->unavailable();
  } else if (api::known_elsewhere(implementation)) {
    reason = gpu::unavailable();
  } else {
    return nullptr;
  }
  return reason.c_str();
}

void gemmlab_use_stream(void* stream) {
  answered([&] { api::default_handle().set_stream(stream); });
}

void gemmlab_release(void) {
  answered([&] {
    api::default_handle().release();
    api::release_set_aside();
  });
}

const char* gemmlab_error(void) {
  return api::last_error().c_str();
}

const char* gemmlab_status_string(int status) {
  switch (status) {
    case GEMMLAB_OK:
      return "GEMMLAB_OK: done, or in the stream";
    case GEMMLAB_INVALID:
      return "GEMMLAB_INVALID: an argument that cannot be";
    case GEMMLAB_UNAVAILABLE:
      return "GEMMLAB_UNAVAILABLE: not on this machine, or not in this build";
    case GEMMLAB_REFUSED:
      return "GEMMLAB_REFUSED: this implementation does not take this product";
    case GEMMLAB_OUT_OF_MEMORY:
      return "GEMMLAB_OUT_OF_MEMORY: too little memory";
    case GEMMLAB_FAILED:
      return "GEMMLAB_FAILED: the device or a library failed";
    case GEMMLAB_WORKSPACE:
      return "GEMMLAB_WORKSPACE: the workspace that was set is too small";
    default:
      return "not a status of gemmlab";
  }
}

const char* gemmlab_version(void) {
  return GEMMLAB_VERSION;
}
