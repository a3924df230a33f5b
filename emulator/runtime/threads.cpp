#include "emulator/runtime/threads.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

extern uint3 gemmlab_thread_index __asm__("gemmlab_emulation_thread_index");
uint3 gemmlab_thread_index{};

namespace gemmlab::emulation {

constinit thread_local Thread* current = nullptr;

namespace {

namespace context = boost::context::detail;

constexpr std::size_t kGuardBytes = 4096;
context::fcontext_t host = nullptr;  // where the current thread was resumed
Fibers::Body thread_body = nullptr;

/// Not a part of thread_main, which another thread of the host may go on with: where `current` lies is found anew.
[[gnu::noinline]] void done() {
  current->state = State::kDone;
  leave();
}

void thread_main(context::transfer_t from) {
  host = from.fctx;
  for (;;) {
    thread_body();
    done();
  }
}

char* new_stack() {
  void* memory = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, kGuardBytes, PROT_NONE);
  return static_cast<char*>(memory) + kGuardBytes;
}

}  // namespace

void WarpClock::begin() {
  now = 1;
  all = 0;
  in_pairs.clear();
}

void WarpClock::meet(unsigned mask, unsigned live) {
  ++now;
  if ((mask & live) == live) {
    all = now;
    return;
  }
  if (in_pairs.empty()) in_pairs.assign(kLanes * kLanes, 0);
  for (int one = 0; one < kLanes; ++one) {
    for (int other = 0; other < kLanes; ++other) {
      if ((mask >> one & 1) != 0 && (mask >> other & 1) != 0) in_pairs[one * kLanes + other] = now;
    }
  }
}

bool WarpClock::ordered(int lane, int other, std::uint32_t since) const {
  return all > since || (!in_pairs.empty() && in_pairs[lane * kLanes + other] > since);
}

void leave() {
  const context::transfer_t from = context::jump_fcontext(host, nullptr);
  host = from.fctx;
}

void Fibers::want(std::size_t count) {
  threads_.reserve(count);
  while (threads_.size() < count) {
    Thread thread;
    thread.number = static_cast<std::uint16_t>(threads_.size());
    thread.stack = new_stack();
    prepare(thread);
    threads_.push_back(std::move(thread));
  }
}

void Fibers::prepare(Thread& thread) {
  // not all at the same offset in a page, where they would fight for one set of the cache
  constexpr std::size_t kSteps = 32, kStep = 320;
  const std::size_t down = thread.number % kSteps * kStep;
  thread.context = context::make_fcontext(thread.stack + kStackBytes - down, kStackBytes - down, thread_main);
}

void Fibers::reset() {
  for (Thread& thread : threads_) {
    prepare(thread);
    thread.state = State::kDone;
    thread.log.clear();
    thread.exits = false;
  }
}

void Fibers::resume(Thread& thread) {
  thread_body = body_;
  current = &thread;
  gemmlab_thread_index = thread.index;
  const context::transfer_t from = context::jump_fcontext(thread.context, nullptr);
  thread.context = from.fctx;
  current = nullptr;
}

}  // namespace gemmlab::emulation
