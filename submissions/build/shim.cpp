#include "submissions/build/shim.h"

namespace gemmlab::submissions {

const char* allocation_shim() {
  // CUDA's functions are declared by hand: the shim needs no header of CUDA's, and an enumeration is returned
  // as an int.
  return R"source(
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>
#include <sys/types.h>

extern "C" {
__attribute__((visibility("default"))) volatile unsigned long long gemmlab_refused_bytes = 0;

__attribute__((visibility("default"))) char gemmlab_opened[120] = {};

void* __real__Znwm(size_t);  // operator new
void* __real__Znam(size_t);  // operator new[]
void* __real_dlopen(const char*, int);
void* __real_malloc(size_t);
void* __real_calloc(size_t, size_t);
void* __real_realloc(void*, size_t);
void* __real_aligned_alloc(size_t, size_t);
int __real_posix_memalign(void**, size_t, size_t);
void* __real_mmap(void*, size_t, int, int, int, off_t);
void* __real_mmap64(void*, size_t, int, int, int, off_t);
}

static void* noted(void* memory, unsigned long long bytes) {
  if (memory == nullptr && bytes > 0 && errno == ENOMEM) gemmlab_refused_bytes = bytes;
  return memory;
}

static void* noted_map(void* memory, size_t bytes) {
  if (memory == MAP_FAILED && errno == ENOMEM) gemmlab_refused_bytes = bytes;
  return memory;
}

// Notes the size of what it throws for.
template <class New>
static void* noted_new(New real, size_t bytes) {
  try {
    return real(bytes);
  } catch (...) {
    gemmlab_refused_bytes = bytes;
    throw;
  }
}

extern "C" {
void* __wrap__Znwm(size_t bytes) { return noted_new(__real__Znwm, bytes); }
void* __wrap__Znam(size_t bytes) { return noted_new(__real__Znam, bytes); }
void* __wrap_dlopen(const char* name, int flags) {
  if (name != nullptr && gemmlab_opened[0] == 0) std::strncpy(gemmlab_opened, name, sizeof gemmlab_opened - 1);
  return __real_dlopen(name, flags);
}
void* __wrap_malloc(size_t bytes) { return noted(__real_malloc(bytes), bytes); }
void* __wrap_calloc(size_t count, size_t each) {
  unsigned long long bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) bytes = ~0ull;
  return noted(__real_calloc(count, each), bytes);
}
void* __wrap_realloc(void* old, size_t bytes) { return noted(__real_realloc(old, bytes), bytes); }
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return noted(__real_aligned_alloc(alignment, bytes), bytes);
}
int __wrap_posix_memalign(void** memory, size_t alignment, size_t bytes) {
  const int error = __real_posix_memalign(memory, alignment, bytes);
  if (error == ENOMEM) gemmlab_refused_bytes = bytes;
  return error;
}
void* __wrap_mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  return noted_map(__real_mmap(at, bytes, protection, flags, file, offset), bytes);
}
void* __wrap_mmap64(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  return noted_map(__real_mmap64(at, bytes, protection, flags, file, offset), bytes);
}

#ifdef GEMMLAB_WRAP_CUDA
int __real_cudaMalloc(void**, size_t);
int __real_cudaMallocManaged(void**, size_t, unsigned);
int __real_cudaMallocHost(void**, size_t);

static int noted_cuda(int error, unsigned long long bytes) {
  if (error == 2) gemmlab_refused_bytes = bytes;  // cudaErrorMemoryAllocation
  return error;
}
int __wrap_cudaMalloc(void** memory, size_t bytes) {
  return noted_cuda(__real_cudaMalloc(memory, bytes), bytes);
}
int __wrap_cudaMallocManaged(void** memory, size_t bytes, unsigned flags) {
  return noted_cuda(__real_cudaMallocManaged(memory, bytes, flags), bytes);
}
int __wrap_cudaMallocHost(void** memory, size_t bytes) {
  return noted_cuda(__real_cudaMallocHost(memory, bytes), bytes);
}

#ifndef GEMMLAB_WRAP_EMULATOR
int __real_cudaMallocAsync(void**, size_t, void*);
int __real_cudaMallocPitch(void**, size_t*, size_t, size_t);
int __wrap_cudaMallocAsync(void** memory, size_t bytes, void* stream) {
  return noted_cuda(__real_cudaMallocAsync(memory, bytes, stream), bytes);
}
int __wrap_cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
  unsigned long long bytes = 0;
  if (__builtin_mul_overflow(width, height, &bytes)) bytes = ~0ull;
  return noted_cuda(__real_cudaMallocPitch(memory, pitch, width, height), bytes);
}

// Work on such streams does not wait for what the default one does before it.
__attribute__((visibility("default"))) volatile int gemmlab_own_streams = 0;
int __real_cudaStreamCreateWithFlags(void**, unsigned);
int __real_cudaStreamCreateWithPriority(void**, unsigned, int);
int __wrap_cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  if (flags != 0) gemmlab_own_streams = 1;
  return __real_cudaStreamCreateWithFlags(stream, flags);
}
int __wrap_cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  if (flags != 0) gemmlab_own_streams = 1;
  return __real_cudaStreamCreateWithPriority(stream, flags, priority);
}

// What is launched, for occupancy: the first of a call, as long as there is room.
struct gemmlab_launch {
  const void* kernel;
  unsigned grid[3];
  unsigned block[3];
  unsigned long long shared_bytes;
};
struct gemmlab_dim3 {
  unsigned x, y, z;
};
__attribute__((visibility("default"))) gemmlab_launch gemmlab_launches[8] = {};
__attribute__((visibility("default"))) volatile unsigned gemmlab_launch_count = 0;

static void note_launch(const void* kernel, gemmlab_dim3 grid, gemmlab_dim3 block, size_t shared) {
  const unsigned at = gemmlab_launch_count;
  gemmlab_launch_count = at + 1;
  if (at < 8) gemmlab_launches[at] = {kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared};
}
int __real_cudaLaunchKernel(const void*, gemmlab_dim3, gemmlab_dim3, void**, size_t, void*);
int __wrap_cudaLaunchKernel(const void* kernel, gemmlab_dim3 grid, gemmlab_dim3 block, void** arguments,
                            size_t shared, void* stream) {
  note_launch(kernel, grid, block, shared);
  return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
// The name that compilers from CUDA 13 on call; older libraries do not have it.
__attribute__((weak)) int __real___cudaLaunchKernel(const void*, gemmlab_dim3, gemmlab_dim3, void**, size_t, void*);
int __wrap___cudaLaunchKernel(const void* kernel, gemmlab_dim3 grid, gemmlab_dim3 block, void** arguments,
                              size_t shared, void* stream) {
  note_launch(kernel, grid, block, shared);
  return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
#endif
#endif
}
)source";
}

std::vector<std::string> wrapped_functions(const Device& device, bool emulated) {
  std::vector<std::string> names{"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign",
                                 "mmap",   "mmap64", "dlopen",  "_Znwm",         "_Znam"};
  if (!device.cuda) return names;
  names.insert(names.end(), {"cudaMalloc", "cudaMallocManaged", "cudaMallocHost"});
  if (!emulated)  // in the emulator's headers the others are made of these
    names.insert(names.end(), {"cudaMallocAsync", "cudaMallocPitch", "cudaStreamCreateWithFlags",
                               "cudaStreamCreateWithPriority", "cudaLaunchKernel", "__cudaLaunchKernel"});
  return names;
}

}  // namespace gemmlab::submissions
