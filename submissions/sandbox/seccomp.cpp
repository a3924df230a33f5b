#include "submissions/sandbox/seccomp.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace gemmlab::submissions {
namespace {

constexpr std::uint64_t kLowHalf = 0xffffffff;  ///< the kernel takes an int from there
constexpr std::uint32_t kTrap = SCMP_ACT_TRAP;
constexpr std::uint32_t refuse(int error) {
  return SCMP_ACT_ERRNO(error);
}

/// Newer than the headers of the oldest distribution that we build on; one number on all architectures.
constexpr int kOpenTreeAttr = 467;
/// A clone that asks for any namespace of its own is refused, whoever asks.
constexpr unsigned kNamespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                    CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

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
    SYS_msgget,  // what lies in them outlives the process
    SYS_semget,
    SYS_move_pages,
    SYS_migrate_pages,
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

void require(int error, const char* what) {
  if (error < 0)
    throw std::runtime_error(std::string("the system call filter: ") + what + ": " + std::strerror(-error));
}

/// All calls are allowed but those that a rule meets. Calls of another architecture's tables end the process.
class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) throw std::runtime_error("the system call filter: libseccomp makes none");
    require(seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS),
            "other architectures");
  }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void on(int call, std::uint32_t action) { require(seccomp_rule_add(context_, action, call, 0), "a call"); }
  void unless(int call, unsigned argument, std::uint64_t value, std::uint32_t action) {
    compare(call, scmp_arg_cmp{argument, SCMP_CMP_NE, value, 0}, action);
  }
  void where(int call, unsigned argument, std::uint64_t value, std::uint32_t action) {
    compare(call, scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, kLowHalf, value}, action);
  }
  void where_all_bits(int call, unsigned argument, std::uint64_t bits, std::uint32_t action) {
    compare(call, scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, bits, bits}, action);
  }
  void where_all_bits_of_both(int call, unsigned one, std::uint64_t bits, unsigned other, std::uint64_t more,
                              std::uint32_t action) {
    const scmp_arg_cmp tests[] = {{one, SCMP_CMP_MASKED_EQ, bits, bits},
                                  {other, SCMP_CMP_MASKED_EQ, more, more}};
    require(seccomp_rule_add_array(context_, action, call, 2, tests), "a call with two arguments");
  }
  void where_no_bit(int call, unsigned argument, std::uint64_t bits, std::uint32_t action) {
    compare(call, scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, bits, 0}, action);
  }

  /// What the kernel and bubblewrap take. Through a pipe, which a confined process may have, and which holds
  /// more than the kernel's longest program.
  std::vector<sock_filter> program() const {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error(std::string("the system call filter: ") + std::strerror(errno));
    const int error = seccomp_export_bpf(context_, ends[1]);
    close(ends[1]);
    std::vector<sock_filter> code(BPF_MAXINSNS);
    const ssize_t length = error < 0 ? 0 : read(ends[0], code.data(), code.size() * sizeof(sock_filter));
    close(ends[0]);
    require(error, "its program");
    if (length <= 0) throw std::runtime_error("the system call filter: its program cannot be read");
    code.resize(static_cast<std::size_t>(length) / sizeof(sock_filter));
    return code;
  }

 private:
  void compare(int call, const scmp_arg_cmp& test, std::uint32_t action) {
    require(seccomp_rule_add_array(context_, action, call, 1, &test), "a call with an argument");
  }
  scmp_filter_ctx context_;
};

void signals(Filter& filter, const FilterRules& rules) {
  if (rules.own_processes && rules.processes) return;
  for (const int call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    if (rules.processes && call == SYS_tgkill) {
      // abort() of any of its programs; which process that is cannot be known here
      filter.unless(call, 2, SIGABRT, refuse(EPERM));
    } else if (rules.self == 0) {
      filter.on(call, refuse(EPERM));
    } else {
      filter.unless(call, 0, static_cast<std::uint64_t>(rules.self), refuse(EPERM));
    }
  }
}

void new_processes(Filter& filter, const FilterRules& rules) {
  // clone3 passes its flags in memory, where no filter can look; the C library then falls back to clone
  filter.on(SYS_clone3, refuse(ENOSYS));
  if (rules.processes) {
    for (const unsigned kind : kNamespaces) filter.where_all_bits(SYS_clone, 0, kind, refuse(EPERM));
    return;
  }
#ifdef SYS_fork
  filter.on(SYS_fork, kTrap);
  filter.on(SYS_vfork, kTrap);
#endif
  filter.where_no_bit(SYS_clone, 0, CLONE_THREAD, kTrap);
  filter.on(SYS_execve, kTrap);
  filter.on(SYS_execveat, kTrap);
}

/// Memory that RLIMIT_DATA does not count.
void uncounted_memory(Filter& filter, const FilterRules& rules) {
  if (rules.gpu || rules.processes) return;
  filter.where_all_bits(SYS_mmap, 3, MAP_SHARED | MAP_ANONYMOUS, refuse(ENOMEM));
  filter.on(SYS_shmget, refuse(ENOMEM));
  filter.on(SYS_memfd_create, refuse(ENOMEM));
}

}  // namespace

std::vector<sock_filter> system_call_filter(const FilterRules& rules) {
  Filter filter;
  // A pipe or a pair of sockets may be had; anything that leads out of the process may not.
  filter.unless(SYS_socket, 0, AF_UNIX, refuse(EACCES));
  filter.on(SYS_connect, refuse(EACCES));
  new_processes(filter, rules);
  signals(filter, rules);
  uncounted_memory(filter, rules);
  filter.where(SYS_prctl, 0, PR_SET_PDEATHSIG, refuse(EPERM));
  if (!rules.gpu) {
    // a stopped process goes on by SIGCONT, which the kernel would send for it at a time of its choice
    for (const int call : {SYS_timer_create, SYS_mq_notify, SYS_mq_open}) filter.on(call, refuse(EPERM));
    filter.where(SYS_fcntl, 1, F_SETSIG, refuse(EPERM));
    // a datagram needs no connection; CUDA's driver has a name bound
    for (const int call : {SYS_bind, SYS_sendmsg, SYS_sendmmsg}) filter.on(call, refuse(EACCES));
    filter.unless(SYS_sendto, 4, 0, refuse(EACCES));  // 0: to the other end of a pair
  }
  filter.unless(SYS_prlimit64, 0, 0, refuse(EPERM));  // 0: itself
  filter.unless(SYS_setpriority, 1, 0, refuse(EPERM));
  for (const int call : kRefused) filter.on(call, refuse(EPERM));
  return filter.program();
}

std::vector<sock_filter> no_made_code_filter() {
  Filter filter;
  for (const int call : {SYS_mprotect, SYS_pkey_mprotect})
    filter.where_all_bits(call, 2, PROT_EXEC, refuse(EPERM));
  filter.where_all_bits_of_both(SYS_mmap, 2, PROT_EXEC, 3, MAP_ANONYMOUS, refuse(EPERM));
  filter.where_all_bits(SYS_mmap, 2, PROT_EXEC | PROT_WRITE, refuse(EPERM));
  return filter.program();
}

std::vector<sock_filter> no_new_code_filter() {
  Filter filter;
  for (const int call : {SYS_mmap, SYS_mprotect, SYS_pkey_mprotect})
    filter.where_all_bits(call, 2, PROT_EXEC, refuse(EPERM));
  return filter.program();
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
