/* gemmlab's implementations of C = A·B for programs of one's own: C, C++, Python through ctypes.
 *
 * Everywhere: float32, row-major, no padding between rows. A is M×K, B is K×N, C is M×N, K the inner
 * dimension. C is overwritten, never read; A, B and C do not overlap. For gpu.* pointers lie in device
 * memory, and the call returns once the work is in the stream; for cpu.* they lie in host memory.
 *
 * Handles are what a program that multiplies often should use: gemmlab_create(), gemmlab_sgemm(). A handle has
 * a stream, an implementation and a workspace of its own; what it prepares for a shape it keeps for the next
 * of that shape. Every function may be called from any thread. Calls on one handle wait for each other, so
 * give each thread its own. The functions without a handle use one that each thread has by itself.
 *
 * CUDA graphs: every call can be captured. Memory that a captured call uses lives as long as the graph, what
 * was instantiated from it, and the handle, whichever ends last.
 *
 * Besides the functions below, the library has one for each implementation, named after its id with '_' for
 * '.', with its default parameters: gemmlab/functions.h, which is made from the tables when gemmlab is built.
 */
#ifndef GEMMLAB_H
#define GEMMLAB_H

#include <stddef.h>
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
  GEMMLAB_REFUSED = 3,     /* this implementation does not take this product */
  GEMMLAB_OUT_OF_MEMORY = 4,
  GEMMLAB_FAILED = 5,
  GEMMLAB_WORKSPACE = 6 /* gemmlab_set_workspace() gave less than the product takes */
};

/* "GEMMLAB_REFUSED: this implementation does not take this product". Never NULL. */
GEMMLAB_API const char* gemmlab_status_string(int status);

/* ---- Handles -------------------------------------------------------------------------------------------- */

typedef struct gemmlab_handle gemmlab_handle;

/* A handle for the last plain FP32 implementation of this project's own: the GPU's where there is a GPU, else
 * the CPU's. In the default stream, with memory of its own, which it takes when a shape comes up first. */
GEMMLAB_API int gemmlab_create(gemmlab_handle** handle);
/* Gives back what no graph holds, but for what libraries' products leave: see gemmlab_release(). NULL is allowed. */
GEMMLAB_API int gemmlab_destroy(gemmlab_handle* handle);

/* What multiplies from now on: an id, and parameters as for gemmlab_multiply(). Costs a look-up. */
GEMMLAB_API int gemmlab_set_implementation(gemmlab_handle* handle, const char* implementation,
                                           const char* parameters);
/* The CUDA stream (a cudaStream_t; NULL: the default one) that later calls put their work into. Costs nothing:
 * nothing is taken or given back. What is prepared for a shape is kept for each stream. */
GEMMLAB_API int gemmlab_set_stream(gemmlab_handle* handle, void* stream);
GEMMLAB_API int gemmlab_get_stream(gemmlab_handle* handle, void** stream);

/* Where A, B and C lie. GEMMLAB_ON_HOST on a GPU: they are copied to the card, C is copied back, and the call
 * returns when C is there; it cannot be captured. For cpu.* both are the host. */
enum { GEMMLAB_ON_DEVICE = 0, GEMMLAB_ON_HOST = 1 };
GEMMLAB_API int gemmlab_set_operands(gemmlab_handle* handle, int where);

/* Device memory that later calls take theirs from, in place of the handle's own; NULL: its own again. The
 * caller keeps it until the handle and all graphs that it was captured into are gone. What no graph holds is
 * reused when it is full. The same memory again costs nothing. At a multiple of 256 bytes. */
GEMMLAB_API int gemmlab_set_workspace(gemmlab_handle* handle, void* workspace, size_t bytes);
/* Bytes that gemmlab_sgemm() with these arguments takes of the workspace; 0 on the CPU. Prepares the product
 * once to find out. Streams and shapes that shall all stay prepared take theirs each. */
GEMMLAB_API int gemmlab_workspace_bytes(gemmlab_handle* handle, int transpose_a, int transpose_b, int64_t M,
                                        int64_t N, int64_t K, float alpha, int64_t lda, int64_t ldb,
                                        float beta, int64_t ldc, size_t* bytes);

/* C = alpha·op(A)·op(B) + beta·C, row-major: op(A) is M×K, op(B) is K×N, C is M×N. A is stored as M×K, or as K×M
 * where transpose_a is not 0; B as K×N or N×K. Leading dimensions are floats between the starts of stored rows.
 * With beta = 0 C is not read, with alpha = 0 neither A nor B is. Dimensions of 0 are allowed. Column-major
 * matrices: exchange A with B and M with N. GEMMLAB_REFUSED: this implementation takes A·B alone, or not this
 * shape. */
GEMMLAB_API int gemmlab_sgemm(gemmlab_handle* handle, int transpose_a, int transpose_b, int64_t M, int64_t N,
                              int64_t K, float alpha, const float* A, int64_t lda, const float* B,
                              int64_t ldb, float beta, float* C, int64_t ldc);
/* `count` such products; the next one's matrices begin stride_a, stride_b and stride_c floats further on. */
GEMMLAB_API int gemmlab_sgemm_strided_batched(gemmlab_handle* handle, int transpose_a, int transpose_b,
                                              int64_t M, int64_t N, int64_t K, float alpha, const float* A,
                                              int64_t lda, int64_t stride_a, const float* B, int64_t ldb,
                                              int64_t stride_b, float beta, float* C, int64_t ldc,
                                              int64_t stride_c, int64_t count);

/* ---- Without a handle ------------------------------------------------------------------------------------ */

/* C = A·B by the implementation of that id, "gpu.tiled". `parameters`: NULL or "" for its defaults, else as
 * in "block=16" or "isa=avx2 threads=2"; `gemmlab list` prints them. */
GEMMLAB_API int gemmlab_multiply(const char* implementation, const char* parameters, const float* A,
                                 const float* B, float* C, int64_t M, int64_t N, int64_t K);

/* The published signature, in whose words A is M×N, B is N×K and C is M×K: rows M, inner N, columns K. By
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

/* The CUDA stream (a cudaStream_t) that this thread's later calls of gemmlab_multiply() and its like put their
 * work into; NULL: the default stream. Costs nothing. */
GEMMLAB_API void gemmlab_use_stream(void* stream);
/* Gives back all that this thread's calls have kept and no graph holds, and what the products of libraries (gpu.cublas
 * and its like) have left in any thread: to end those waits for the whole card, and CUDA gives up every capture that
 * goes on meanwhile, in whatever thread. So they are set aside, up to 2 GiB, and taken again for the same product and
 * stream, until this is called. Beyond that, where memory runs out, and in a workspace that was set, they end at once. */
GEMMLAB_API void gemmlab_release(void);

/* Why the last call of this thread did not answer GEMMLAB_OK; "" where it did. Valid until the next call. */
GEMMLAB_API const char* gemmlab_error(void);
/* "0.1.0" */
GEMMLAB_API const char* gemmlab_version(void);

#ifdef __cplusplus
}
#endif

#endif
