/* gemmlab's implementations of C = A·B for programs of one's own: C, C++, Python through ctypes.
 *
 * Everywhere: float32, row-major, no padding between rows. A is M×K, B is K×N, C is M×N, K the inner
 * dimension. C is overwritten, never read; A, B and C do not overlap. For gpu.* pointers lie in device
 * memory, and the call returns once the work is in the stream (gemmlab_use_stream); for cpu.* they lie in
 * host memory. One thread at a time may call; what a call prepares (workspace, a library's handle) is kept
 * for the next of its shape.
 *
 * Besides the functions below, the library has one for each implementation, named after its id with '_' for
 * '.', with its default parameters: gemmlab/functions.h, which is made from the tables when gemmlab is built.
 */
#ifndef GEMMLAB_H
#define GEMMLAB_H

#include <stdint.h>

#if defined(__GNUC__)
#define GEMMLAB_API __attribute__((visibility("default")))
#else
#define GEMMLAB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call answers; gemmlab_error() says the same in words. */
enum {
  GEMMLAB_OK = 0,
  GEMMLAB_INVALID = 1,     /* no such implementation or parameter, a dimension below 1, a null pointer */
  GEMMLAB_UNAVAILABLE = 2, /* not on this machine, or not in this build */
  GEMMLAB_REFUSED = 3,     /* this implementation does not take this shape */
  GEMMLAB_OUT_OF_MEMORY = 4,
  GEMMLAB_FAILED = 5
};

/* C = A·B by the implementation of that id, "gpu.tiled". `parameters`: NULL or "" for its defaults, else as
 * in "block=16" or "isa=avx2 threads=2"; `gemmlab list` prints them. */
GEMMLAB_API int gemmlab_multiply(const char* implementation, const char* parameters, const float* A,
                                 const float* B, float* C, int64_t M, int64_t N, int64_t K);

/* The published signature, in whose words A is M×N, B is N×K and C is M×K: N is the inner dimension. By
 * the implementation that the environment's GEMMLAB_SOLVE names, "gpu.tiled block=16"; without it by the last
 * plain FP32 one of this project's own on the GPU ladder where there is a GPU, else on the CPU's, whose
 * pointers are the host's. Ends the program with a message where that cannot be: the signature has no way to
 * tell. */
GEMMLAB_API void solve(const float* A, const float* B, float* C, int M, int N, int K);

/* Ids in the order of the tables; NULL from gemmlab_count() on. */
GEMMLAB_API int gemmlab_count(void);
GEMMLAB_API const char* gemmlab_id(int index);
/* One line on what it does; NULL for an id that is none. */
GEMMLAB_API const char* gemmlab_summary(const char* implementation);
/* "" where it can run here, else why not; NULL for an id that is none. */
GEMMLAB_API const char* gemmlab_unavailable(const char* implementation);

/* The CUDA stream (a cudaStream_t) that later calls put their work into; NULL: the default stream. */
GEMMLAB_API void gemmlab_use_stream(void* stream);
/* Gives back all that calls have kept. */
GEMMLAB_API void gemmlab_release(void);

/* Why the last call of this thread did not answer GEMMLAB_OK; "" where it did. Valid until the next call. */
GEMMLAB_API const char* gemmlab_error(void);
/* "0.1.0" */
GEMMLAB_API const char* gemmlab_version(void);

#ifdef __cplusplus
}
#endif

#endif
