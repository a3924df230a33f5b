#include "submissions/sandbox/seccomp.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gemmlab::submissions {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kTrap = SECCOMP_RET_TRAP;
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t refuse(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA);
}

/// New in kernels after the oldest whose headers we build with; the same number on both architectures.
constexpr std::uint32_t kOpenTreeAttr = 467;
/// Any namespace of its own; a clone that asks for one is refused whoever asks.
constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kX32 = 0x40000000;  // numbers of the x32 ABI, which would pass by the tables below

// Nothing that computes a product calls one of these. What looks into other processes, what changes the
// machine, and what has often been the way out of a sandbox.
constexpr int kRefused[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_kcmp,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_perf_event_open,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    kOpenTreeAttr,
    SYS_unshare,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    SYS_quotactl,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kexec_load,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_syslog,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_setsid,
    SYS_setpgid,  // the judge ends the whole group and session
    SYS_tkill,
    SYS_move_pages,
    SYS_migrate_pages,
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

/// The program as it grows. Each rule is complete: it ends with the accumulator holding the call's number
/// again.
class Program {
 public:
  void begin() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    leave(kKill);
    load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
    jump(BPF_JGE, kX32, 0, 1);
    leave(kKill);
#endif
  }
  void on(int call, std::uint32_t action) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    leave(action);
  }
  /// `then` where the low half of the argument satisfies `test value`, else `otherwise`.
  void on_argument(int call, int argument, std::uint16_t test, std::uint32_t value, std::uint32_t then,
                   std::uint32_t otherwise) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load(low_half(argument));
    jump(test, value, 0, 1);
    leave(then);
    leave(otherwise);
  }
  /// `action` where all of `bits` are set in the argument; else the next rule decides.
  void on_all_bits(int call, int argument, std::uint32_t bits, std::uint32_t action) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 5);
    load(low_half(argument));
    add(BPF_ALU | BPF_AND | BPF_K, bits);
    jump(BPF_JEQ, bits, 0, 1);
    leave(action);
    load(offsetof(seccomp_data, nr));
  }
  void leave(std::uint32_t action) {
    add(BPF_RET | BPF_K, action);
  }
  std::vector<sock_filter> take() {
    return std::move(code_);
  }

 private:
  static std::uint32_t low_half(int argument) {
    // both architectures that we know are little-endian
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + sizeof(std::uint64_t) * argument);
  }
  void load(std::uint32_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, offset);
  }
  void add(std::uint16_t code, std::uint32_t k) {
    code_.push_back({code, 0, 0, k});
  }
  void jump(std::uint16_t test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    code_.push_back({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), yes, no, value});
  }
  std::vector<sock_filter> code_;
};

void signals(Program& program, const FilterRules& rules) {
  if (rules.own_processes && rules.processes) return;
  for (const int call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    if (rules.processes && call == SYS_tgkill) {
      // abort() of any of its programs; which process that is cannot be known here
      program.on_argument(call, 2, BPF_JEQ, SIGABRT, kAllow, refuse(EPERM));
    } else if (rules.self == 0) {
      program.on(call, refuse(EPERM));
    } else {
      program.on_argument(call, 0, BPF_JEQ, static_cast<std::uint32_t>(rules.self), kAllow, refuse(EPERM));
    }
  }
}

void new_processes(Program& program, const FilterRules& rules) {
  // clone3 passes its flags in memory, where no filter can look; the C library then falls back to clone
  program.on(SYS_clone3, refuse(ENOSYS));
  if (rules.processes) {
    program.on_argument(SYS_clone, 0, BPF_JSET, kNamespaces, refuse(EPERM), kAllow);
    return;
  }
#ifdef __x86_64__
  program.on(SYS_fork, kTrap);
  program.on(SYS_vfork, kTrap);
#endif
  program.on_argument(SYS_clone, 0, BPF_JSET, CLONE_THREAD, kAllow, kTrap);
  program.on(SYS_execve, kTrap);
  program.on(SYS_execveat, kTrap);
}

/// Memory that RLIMIT_DATA does not count.
void uncounted_memory(Program& program, const FilterRules& rules) {
  if (rules.gpu || rules.processes) return;
  program.on_all_bits(SYS_mmap, 3, MAP_SHARED | MAP_ANONYMOUS, refuse(ENOMEM));
  program.on(SYS_shmget, refuse(ENOMEM));
  program.on(SYS_memfd_create, refuse(ENOMEM));
}

}  // namespace

std::vector<sock_filter> system_call_filter(const FilterRules& rules) {
  if (kArchitecture == 0) return {};
  Program program;
  program.begin();
  // A pipe or a pair of sockets may be had; anything that leads out of the process may not.
  program.on_argument(SYS_socket, 0, BPF_JEQ, AF_UNIX, kAllow, refuse(EACCES));
  program.on(SYS_connect, refuse(EACCES));
  new_processes(program, rules);
  signals(program, rules);
  uncounted_memory(program, rules);
  program.on_argument(SYS_prctl, 0, BPF_JEQ, PR_SET_PDEATHSIG, refuse(EPERM), kAllow);
  program.on_argument(SYS_prlimit64, 0, BPF_JEQ, 0, kAllow, refuse(EPERM));  // 0: itself
  program.on_argument(SYS_setpriority, 1, BPF_JEQ, 0, kAllow, refuse(EPERM));
  for (const int call : kRefused) program.on(call, refuse(EPERM));
  program.leave(kAllow);
  return program.take();
}

std::vector<sock_filter> no_new_code_filter() {
  if (kArchitecture == 0) return {};
  Program program;
  program.begin();
  for (const int call : {SYS_mmap, SYS_mprotect, SYS_pkey_mprotect})
    program.on_all_bits(call, 2, PROT_EXEC, refuse(EPERM));
  program.leave(kAllow);
  return program.take();
}

bool apply_filter(const std::vector<sock_filter>& filter, bool all_threads) {
  if (filter.empty()) return false;
  sock_fprog program{static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
  // SPEC_ALLOW: older kernels would otherwise switch speculation off for the process, which slows what is
  // timed
  const unsigned long wishes[] = {SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                                  SECCOMP_FILTER_FLAG_SPEC_ALLOW, 0};
  for (const unsigned long flags : wishes) {
    if (!all_threads && (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0) continue;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0) return true;
  }
  return false;
}

}  // namespace gemmlab::submissions
