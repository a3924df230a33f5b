#include "submissions/callee/memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace gemmlab::submissions {
namespace {

/// Wide enough that a wrong row of a large matrix still falls into it. Address space only.
constexpr std::int64_t kGuardBytes = std::int64_t{1} << 30;
/// The same where an index of 32 bits overflows.
constexpr std::int64_t kWideGuardBytes = std::int64_t{10} << 30;
constexpr int kWatched[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
/// What a stack may grow below its pointer before that is taken for an overflow.
constexpr std::uintptr_t kStackReach = 1 << 20;

struct Mapped {
  char* room = nullptr;
  std::int64_t room_bytes = 0;
  char* matrix = nullptr;  ///< in the call under way, or the last one
  std::int64_t matrix_bytes = 0;
  std::int64_t element_bytes = 0;
};

// Plain objects: the handler must find them whatever state the process is in.
Mapped mapped[3];
std::int64_t guard_bytes = kGuardBytes;
std::atomic<bool> calling{false};
const volatile unsigned long long* refused = nullptr;
alignas(16) char handler_stack[1 << 16];

void locate(const char* address, Reply& reply) {
  for (int i = 0; i < 3; ++i) {
    const Mapped& one = mapped[i];
    // at its far edge a stretch without access lies beside other memory, whose overrun it is
    const std::int64_t reach = guard_bytes - (std::int64_t{64} << 20);
    if (one.room == nullptr || address < one.room - reach || address >= one.room + one.room_bytes + reach)
      continue;
    reply.matrix = i;
    reply.element_bytes = one.element_bytes;
    const char* end = one.matrix + one.matrix_bytes;
    if (address < one.matrix) {
      reply.side = Side::kBefore;
      reply.distance_bytes = one.matrix - address;
    } else if (address >= end) {
      reply.side = Side::kBehind;
      reply.distance_bytes = address - end;
    } else {
      reply.side = Side::kInside;
      reply.distance_bytes = address - one.matrix;
    }
  }
}

#if defined(__x86_64__)
/// The instruction at which it stopped, up to the end of its page: the next one may not be there.
void note_code(const ucontext_t& machine, const char* address, Reply& reply) {
  constexpr greg_t kGeneralProtection = 13;
  constexpr std::uintptr_t kPage = 4096;
  const auto at = static_cast<std::uintptr_t>(machine.uc_mcontext.gregs[REG_RIP]);
  reply.general_protection = machine.uc_mcontext.gregs[REG_TRAPNO] == kGeneralProtection ? 1 : 0;
  if (at == 0 || at == reinterpret_cast<std::uintptr_t>(address)) return;  // it jumped to where no code is
  const std::uintptr_t left = kPage - at % kPage;
  std::memcpy(reply.code, reinterpret_cast<const void*>(at),
              left < sizeof reply.code ? left : sizeof reply.code);
}
#endif

/// Only what is safe in a handler. The process ends here.
void on_fault(int number, siginfo_t* info, void* context) {
  Reply reply;
  reply.said = Said::kFault;
  reply.number = number;
  reply.outside_call = calling.load() ? 0 : 1;
  if (refused != nullptr) reply.refused_bytes = *refused;
#if defined(__x86_64__)
  if (number == SIGSEGV || number == SIGBUS || number == SIGILL)
    note_code(*static_cast<const ucontext_t*>(context),
              number == SIGILL ? nullptr : static_cast<const char*>(info->si_addr), reply);
#endif
  if (number == SIGSEGV || number == SIGBUS) {
    const char* address = static_cast<const char*>(info->si_addr);
    locate(address, reply);
    // C's room is writable during a call: a thread that finds it closed was late, even if the next call, whose C may
    // lie elsewhere in it, has begun
    const Mapped& c = mapped[2];
    if (reply.matrix == 2 && address >= c.room && address < c.room + c.room_bytes) reply.outside_call = 1;
#if defined(__x86_64__)
    const auto* machine = static_cast<const ucontext_t*>(context);
    constexpr greg_t kWrite = 2;
    reply.writing = (machine->uc_mcontext.gregs[REG_ERR] & kWrite) != 0 ? 1 : 0;
    const auto stack = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RSP]);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (reply.matrix < 0 && at < stack + kStackReach && at + kStackReach > stack)
      std::memcpy(reply.text, "stack", sizeof "stack");
#else
    (void)context;
#endif
    if (reply.matrix < 0)
      reply.distance_bytes = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(address));
  }
  if (number == SIGSYS) reply.distance_bytes = info->si_syscall;
  (void)!send(kChannelFd, &reply, sizeof reply, MSG_NOSIGNAL);
  _exit(128 + number);
}

void catch_faults() {
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : kWatched) sigaction(number, &action, nullptr);
}

void protect_c(int protection) {
  mprotect(mapped[2].room, static_cast<std::size_t>(mapped[2].room_bytes), protection);
}

}  // namespace

CalleeMemory::CalleeMemory(const Rooms& rooms, bool writable_inputs) {
  if (rooms.window_bytes > 0) guard_bytes = kWideGuardBytes;
  for (int i = 0; i < 3; ++i) {
    const auto bytes = static_cast<std::size_t>(rooms.bytes[i]);
    void* space = mmap(nullptr, bytes + 2 * static_cast<std::size_t>(guard_bytes), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) throw std::runtime_error("no address space for a matrix");
    char* room = static_cast<char*>(space) + guard_bytes;
    const int protection = i == 2 || writable_inputs ? PROT_READ | PROT_WRITE : PROT_READ;
    const std::size_t window = rooms.window_bytes > 0 ? static_cast<std::size_t>(rooms.window_bytes) : bytes;
    bool there = true;
    for (std::size_t at = 0; at < bytes && there; at += window)
      there = mmap(room + at, std::min(window, bytes - at), protection, MAP_SHARED | MAP_FIXED,
                   kFirstMatrixFd + i, 0) != MAP_FAILED;
    if (!there) throw std::runtime_error(std::string("a matrix cannot be mapped: ") + std::strerror(errno));
    mapped[i].room = room;
    mapped[i].room_bytes = rooms.bytes[i];
    mapped[i].element_bytes = rooms.element_bytes[i];
    close(kFirstMatrixFd + i);  // or it could be mapped once more, with other rights
  }
  catch_faults();
}

void* CalleeMemory::at(int matrix, std::int64_t offset) const {
  return mapped[matrix].room + offset;
}

void CalleeMemory::begin_call(const Request& request) {
  const std::int64_t counts[3] = {request.m * request.k, request.k * request.n, request.m * request.n};
  for (int i = 0; i < 3; ++i) {
    mapped[i].matrix = mapped[i].room + request.offset[i];
    mapped[i].matrix_bytes = counts[i] * mapped[i].element_bytes;
  }
  protect_c(PROT_READ | PROT_WRITE);
  calling = true;
}

void CalleeMemory::end_call() {
  calling = false;
  protect_c(PROT_READ);
}

void CalleeMemory::open_c() {
  protect_c(PROT_READ | PROT_WRITE);
}

void report_refusals_from(const volatile unsigned long long* refused_bytes) {
  refused = refused_bytes;
}

}  // namespace gemmlab::submissions
