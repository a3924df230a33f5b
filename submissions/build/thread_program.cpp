#include "submissions/build/thread_program.h"

#include <algorithm>
#include <iterator>

namespace gemmlab::submissions {

const char* thread_program() {
  // Loops and sections are dealt out by relaxed atomics: these order nothing between the threads, as libgomp's do not.
  return R"source(
#include <pthread.h>
#include <cstdlib>
#include <cstring>

extern "C" void solve(const float*, const float*, float*, int, int, int);
extern "C" int __tsan_get_report_mop(void*, unsigned long, int*, void**, int*, int*, int*, void**, unsigned long);

namespace {
constexpr unsigned kThreads = 4, kMost = 64;
constexpr long kShared = 4096;  // loops, sections and singles of one region

struct Team {
  unsigned count = 1;
  int level = 0;
  pthread_barrier_t barrier;
  long taken[kShared] = {};
  void* copied = nullptr;
};
struct Member {
  Team* team;
  int number;
  void (*work)(void*);
  void* data;
  long met = 0;  // loops, sections and singles so far
  unsigned long long begin = 0, count = 0, step = 1, chunk = 1;  // of the present loop
};
Team alone;
thread_local Member self = {&alone, 0, nullptr, nullptr};
unsigned wanted = kThreads;
pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER, update = PTHREAD_MUTEX_INITIALIZER, named = PTHREAD_MUTEX_INITIALIZER;

void* begin_member(void* given) {
  self = *static_cast<Member*>(given);
  self.work(self.data);
  return nullptr;
}

void run_team(void (*work)(void*), void* data, unsigned count, Member loop) {
  if (count == 0) count = wanted;
  if (self.team->level > 0) count = 1;
  if (count > kMost) count = kMost;
  Team* team = new Team;
  team->count = count;
  team->level = self.team->level + 1;
  pthread_barrier_init(&team->barrier, nullptr, count);
  const Member before = self;
  pthread_t threads[kMost];
  Member members[kMost];
  for (unsigned i = 0; i < count; ++i) {
    members[i] = loop;
    members[i].team = team;
    members[i].number = static_cast<int>(i);
    members[i].work = work;
    members[i].data = data;
    if (i > 0 && pthread_create(&threads[i], nullptr, begin_member, &members[i]) != 0) _Exit(3);
  }
  begin_member(&members[0]);
  for (unsigned i = 1; i < count; ++i) pthread_join(threads[i], nullptr);
  self = before;
  pthread_barrier_destroy(&team->barrier);
  delete team;
}

// The slot of the loop, the sections or the single that this thread is at.
long* slot() {
  if (self.met > kShared) _Exit(3);
  return &self.team->taken[self.met - 1];
}
void begin_loop(unsigned long long begin, unsigned long long count, unsigned long long step, unsigned long long chunk) {
  self.begin = begin;
  self.count = count;
  self.step = step;
  self.chunk = chunk > 0 ? chunk : 1;
  ++self.met;
}
bool next_chunk(unsigned long long* from, unsigned long long* to) {
  const unsigned long long at = __atomic_fetch_add(slot(), static_cast<long>(self.chunk), __ATOMIC_RELAXED);
  if (at >= self.count) return false;
  const unsigned long long end = self.count - at < self.chunk ? self.count : at + self.chunk;
  *from = self.begin + at * self.step;
  *to = self.begin + end * self.step;
  return true;
}
unsigned long long rounds(long begin, long end, long step) {
  if (step > 0) return end > begin ? (static_cast<unsigned long long>(end) - begin + step - 1) / step : 0;
  return begin > end ? (static_cast<unsigned long long>(begin) - end - step - 1) / -step : 0;
}
unsigned long long rounds_ull(bool up, unsigned long long begin, unsigned long long end, unsigned long long step) {
  if (up) return end > begin ? (end - begin + step - 1) / step : 0;
  return begin > end ? (begin - end - step - 1) / -step : 0;
}
void wait_for_all() {
  if (self.team->count > 1) pthread_barrier_wait(&self.team->barrier);
}
}  // namespace

extern "C" {
int omp_get_thread_num() { return self.number; }
int omp_get_num_threads() { return static_cast<int>(self.team->count); }
int omp_get_max_threads() { return static_cast<int>(wanted); }
int omp_get_num_procs() { return kThreads; }
int omp_in_parallel() { return self.team->count > 1; }
int omp_get_level() { return self.team->level; }
void omp_set_num_threads(int count) { wanted = count > 0 ? static_cast<unsigned>(count) : 1; }
void omp_set_dynamic(int) {}
void omp_set_nested(int) {}
void omp_set_max_active_levels(int) {}
double omp_get_wtime() { return 0; }
void omp_init_lock(int* lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }
void omp_destroy_lock(int*) {}
int omp_test_lock(int* lock) { return __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) == 0; }
void omp_set_lock(int* lock) {
  while (!omp_test_lock(lock)) {}
}
void omp_unset_lock(int* lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

void GOMP_parallel(void (*work)(void*), void* data, unsigned count, unsigned) { run_team(work, data, count, {}); }
void GOMP_barrier() { wait_for_all(); }
void GOMP_critical_start() { pthread_mutex_lock(&critical); }
void GOMP_critical_end() { pthread_mutex_unlock(&critical); }
void GOMP_critical_name_start(void** name) {
  pthread_mutex_lock(&named);
  if (*name == nullptr) {
    auto* made = static_cast<pthread_mutex_t*>(std::malloc(sizeof(pthread_mutex_t)));
    pthread_mutex_init(made, nullptr);
    *name = made;
  }
  auto* its = static_cast<pthread_mutex_t*>(*name);
  pthread_mutex_unlock(&named);
  pthread_mutex_lock(its);
}
void GOMP_critical_name_end(void** name) { pthread_mutex_unlock(static_cast<pthread_mutex_t*>(*name)); }
void GOMP_atomic_start() { pthread_mutex_lock(&update); }
void GOMP_atomic_end() { pthread_mutex_unlock(&update); }

#define NEXT(name)                                                                          \
  bool GOMP_loop_##name##_next(long* from, long* to) {                                      \
    return next_chunk(reinterpret_cast<unsigned long long*>(from), reinterpret_cast<unsigned long long*>(to)); \
  }                                                                                         \
  bool GOMP_loop_ull_##name##_next(unsigned long long* from, unsigned long long* to) { return next_chunk(from, to); }
#define LOOP(name)                                                                                               \
  NEXT(name)                                                                                                     \
  bool GOMP_loop_##name##_start(long begin, long end, long step, long chunk, long* from, long* to) {             \
    begin_loop(begin, rounds(begin, end, step), step, chunk);                                                    \
    return GOMP_loop_##name##_next(from, to);                                                                    \
  }                                                                                                              \
  bool GOMP_loop_ull_##name##_start(bool up, unsigned long long begin, unsigned long long end,                   \
                                    unsigned long long step, unsigned long long chunk, unsigned long long* from, \
                                    unsigned long long* to) {                                                    \
    begin_loop(begin, rounds_ull(up, begin, end, step), step, chunk);                                            \
    return next_chunk(from, to);                                                                                 \
  }                                                                                                              \
  void GOMP_parallel_loop_##name(void (*work)(void*), void* data, unsigned count, long begin, long end,          \
                                 long step, long chunk, unsigned) {                                              \
    Member loop{};                                                                                               \
    loop.begin = begin;                                                                                          \
    loop.count = rounds(begin, end, step);                                                                       \
    loop.step = step;                                                                                            \
    loop.chunk = chunk > 0 ? chunk : 1;                                                                          \
    loop.met = 1;                                                                                                \
    run_team(work, data, count, loop);                                                                           \
  }
#define LOOP_AT_RUN_TIME(name)                                                                              \
  NEXT(name)                                                                                                \
  bool GOMP_loop_##name##_start(long begin, long end, long step, long* from, long* to) {                    \
    begin_loop(begin, rounds(begin, end, step), step, 1);                                                   \
    return GOMP_loop_##name##_next(from, to);                                                               \
  }                                                                                                         \
  void GOMP_parallel_loop_##name(void (*work)(void*), void* data, unsigned count, long begin, long end,     \
                                 long step, unsigned flags) {                                               \
    GOMP_parallel_loop_dynamic(work, data, count, begin, end, step, 1, flags);                              \
  }
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP_AT_RUN_TIME(runtime)
LOOP_AT_RUN_TIME(nonmonotonic_runtime)
LOOP_AT_RUN_TIME(maybe_nonmonotonic_runtime)
void GOMP_loop_end() { wait_for_all(); }
void GOMP_loop_end_nowait() {}

unsigned GOMP_sections_next() {
  unsigned long long from = 0, to = 0;
  return next_chunk(&from, &to) ? static_cast<unsigned>(from) : 0;
}
unsigned GOMP_sections_start(unsigned count) {
  begin_loop(1, count, 1, 1);
  return GOMP_sections_next();
}
void GOMP_parallel_sections(void (*work)(void*), void* data, unsigned threads, unsigned count, unsigned flags) {
  GOMP_parallel_loop_dynamic(work, data, threads, 1, count + 1L, 1, 1, flags);
}
void GOMP_sections_end() { wait_for_all(); }
void GOMP_sections_end_nowait() {}
bool GOMP_single_start() {
  ++self.met;
  return __atomic_exchange_n(slot(), 1, __ATOMIC_RELAXED) == 0;
}
void* GOMP_single_copy_start() {
  if (GOMP_single_start()) return nullptr;
  wait_for_all();
  void* const copied = self.team->copied;
  wait_for_all();
  return copied;
}
void GOMP_single_copy_end(void* data) {
  self.team->copied = data;
  wait_for_all();
  wait_for_all();
}

// A task is done at once, as it may be.
void GOMP_task(void (*work)(void*), void* data, void (*copy)(void*, void*), long bytes, long alignment, bool, unsigned,
               void**, int, void*) {
  void* memory = nullptr;
  if (bytes == 0) return work(data);
  if (posix_memalign(&memory, alignment < 16 ? 16 : alignment, bytes) != 0) _Exit(3);
  if (copy != nullptr)
    copy(memory, data);
  else
    std::memcpy(memory, data, bytes);
  work(memory);
  std::free(memory);
}
void GOMP_taskwait() {}
void GOMP_taskyield() {}
void GOMP_taskgroup_start() {}
void GOMP_taskgroup_end() {}
}

namespace {
const char* c_begin = nullptr;
const char* c_end = nullptr;
}  // namespace

// Two threads that both only write an element of C: what it holds in the end is the same, since C is right.
namespace __tsan {
class ReportDesc;
bool OnReport(const ReportDesc* report, bool suppressed) {
  for (unsigned long i = 0; i < 2 && !suppressed; ++i) {
    int thread = 0, bytes = 0, write = 0, atomic = 0;
    void *address = nullptr, *trace = nullptr;
    if (__tsan_get_report_mop(const_cast<void*>(static_cast<const void*>(report)), i, &thread, &address, &bytes, &write,
                              &atomic, &trace, 1) == 0 || write == 0 || address < c_begin || address >= c_end)
      return false;
  }
  return true;
}
}  // namespace __tsan

int main(int count, char** arguments) {
  for (int i = 1; i + 2 < count; i += 3) {
    const int M = std::atoi(arguments[i]), N = std::atoi(arguments[i + 1]), K = std::atoi(arguments[i + 2]);
    const auto filled = [](int rows, int columns, int period) {
      auto* matrix = static_cast<float*>(std::malloc(sizeof(float) * rows * columns));
      for (int j = 0; j < rows * columns; ++j) matrix[j] = static_cast<float>(j % period);
      return matrix;
    };
    float *A = filled(M, N, 7), *B = filled(N, K, 5), *C = filled(M, K, 3);
    c_begin = reinterpret_cast<char*>(C);
    c_end = reinterpret_cast<char*>(C + M * K);
    solve(A, B, C, M, N, K);
    std::free(A);
    std::free(B);
    std::free(C);
  }
  _Exit(0);  // threads of a pool may wait for ever
}
)source";
}

bool thread_order_is_seen(const std::string& source) {
  static constexpr const char* kNotSeen[] = {"volatile", "asm",     "fence",  "__sync_synchronize",
                                             "flush",    "async",   "future", "std::execution",
                                             "dlopen",   "syscall", "fork",   "mmap"};
  return std::none_of(std::begin(kNotSeen), std::end(kNotSeen),
                      [&](const char* word) { return source.find(word) != std::string::npos; });
}

}  // namespace gemmlab::submissions
