#pragma once

// Keeps submitted code, and the compiler that reads it, where they can do no harm.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gemmlab::submissions {

/// Paths are absolute and without links. A limit of 0 is no limit.
struct Confinement {
  std::string scratch;  ///< existing folder, the only one that may be written to; given to the child's user
  /// Nothing can be written, not even there, and nothing read but `readable`, system_libraries() and what the kernel says
  /// of the machine. argv[0] becomes the unprivileged user by itself: its number is given to it as an argument.
  bool bare = false;
  std::vector<std::string>
      readable;                   ///< folders and files to be read though they lie in a home, /tmp or /run
  std::int64_t memory_bytes = 0;  ///< private writable memory over what is there when it begins to hold
  std::int64_t file_bytes = 0;    ///< largest file; a write beyond it fails
  int threads = 0;                ///< over those that are there when it begins to hold
  bool processes = false;  ///< may it start programs? A compiler must; it sees toolchain_folders() alone
  bool gpu = false;        ///< NVIDIA's device files stay reachable
};

/// What holds a process, in words for the page: "bubblewrap: own namespaces, ..." and what could not be had.
struct Isolation {
  std::vector<std::string> holds;
  std::vector<std::string> missing;
};

/// A process that was started under confinement. The outer part (unprivileged user, bubblewrap with its
/// namespaces, read-only file system) holds from its first instruction on; the inner part (confine_self) when
/// the process asks for it, which our own code does before it loads a submission.
/// Is killed when the thread that started it ends. Without bubblewrap (leave_out_bubblewrap, or where it does
/// not work) there are no namespaces, and root's child can reach scratch and `readable` only where every
/// folder above them lets others through.
class Confined {
 public:
  Confined() = default;
  /// Starts argv (argv[0]: path of the program) with exactly `environment`. `fds` (number there, number here)
  /// are handed on; all else is closed; standard input is empty. `output`: where standard output and error
  /// go. The working folder is scratch. As root, scratch and all in it change hands: one process at a time.
  /// Where `confinement.processes` is set, the inner part holds at once, too. Throws std::runtime_error.
  Confined(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
           const std::vector<std::pair<int, int>>& fds, int output, const Confinement& confinement);
  ~Confined();  ///< kills what is left
  Confined(Confined&& other) noexcept;
  Confined& operator=(Confined&& other) noexcept;

  /// Exit status as of waitpid, if it has ended. Looks, does not wait. (Under bubblewrap, exit(128 + n) and
  /// the end by signal n cannot be told apart where a process can end by signal n: both are given as the signal.)
  bool ended(int& wait_status);
  /// Kills it and all that it has started, and waits for the end. Its exit status.
  int kill();
  pid_t pid() const { return pid_; }  ///< of the outermost process

 private:
  void launch(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
              const std::vector<std::pair<int, int>>& fds, int output, const Confinement& confinement);

  pid_t pid_ = -1;
  int first_ =
      -1;  ///< pidfd of the first process in its namespace, with which all others end; -1: no namespace
  int status_ = -1;  ///< bubblewrap tells there what it does; it must not find it closed
  bool wrapped_ = false;
  uid_t user_ = 0;  ///< the unprivileged user made up for it; 0: our own
  int wait_status_ = 0;
};

/// Holds the calling process from now on, as far as its confinement can from within: limits on memory, files
/// and threads, Landlock (no writing outside scratch), seccomp (no network, no new processes, no signals to
/// others, no tracing). What cannot be had is left out and named by isolation().
/// A system call that starts a process raises SIGSYS.
void confine_self(const Confinement& confinement);

/// From now on no code can be made in this process; libraries can still be opened. After confine_self(). False where the
/// system cannot refuse it.
bool forbid_made_code();

/// From now on no code can be added to this process: libraries can no longer be opened. After confine_self().
/// False where the system cannot refuse it.
bool forbid_new_code();

/// Where a compiler and what it reads lie: beside these it is shown its `readable` and scratch, and nothing else.
std::vector<std::string> toolchain_folders();
/// Libraries in those folders that multiply matrices: what is shown of them is empty.
std::vector<std::string> blas_libraries();

/// The shared libraries that every program here is linked with, with the loader and what it reads.
std::vector<std::string> system_libraries();

/// What would hold a process started now, by trying. Tries bubblewrap once per process.
Isolation isolation(const Confinement& confinement);

/// Why confined processes would have no namespaces and no file system of their own; empty where bubblewrap
/// works. Whoever starts submitted code all the same must have been told to.
std::string why_not_isolated();
/// From now on processes are confined without bubblewrap, or with it again.
void leave_out_bubblewrap(bool left_out);

}  // namespace gemmlab::submissions
