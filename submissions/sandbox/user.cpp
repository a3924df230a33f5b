#include "submissions/sandbox/user.h"

#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gemmlab::submissions {
namespace {

namespace fs = std::filesystem;

// Far above what any system hands out; below 2^31, which some programs take for a sign.
constexpr uid_t kFirstSpare = 2000000000;
constexpr uid_t kSpares = 1u << 26;
// Where a container has but 65536 users: those that systemd makes up for its services, and containers never
// do.
constexpr uid_t kFirstSpareOfFew = 61184;
constexpr uid_t kSparesOfFew = 4000;

/// Calls `what` with the id of each process that /proc shows.
template <class What>
void each_process(What what) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name[0]))) what(std::atoi(name.c_str()), entry.path());
  }
}

bool runs_anything(uid_t user) {
  bool found = false;
  each_process([&](pid_t, const fs::path& folder) {
    std::ifstream status(folder / "status");
    for (std::string line; !found && std::getline(status, line);) {
      if (line.rfind("State:", 0) == 0 && line.find_first_of("ZX") != std::string::npos)
        return;  // over already
      if (line.rfind("Uid:", 0) != 0) continue;
      found = std::strtoul(line.c_str() + std::strlen("Uid:"), nullptr, 10) == user;
      return;
    }
  });
  return found;
}

/// Tries it in a process that then ends.
bool can_become(uid_t user) {
  const pid_t child = fork();
  if (child == 0) _exit(become(user) ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// The first of the spare users that we can become; 0: none.
uid_t first_spare() {
  static const uid_t first = [] {
    for (const uid_t candidate : {kFirstSpare, kFirstSpareOfFew}) {
      if (can_become(candidate)) return candidate;
    }
    return uid_t{0};
  }();
  return first;
}

}  // namespace

uid_t spare_user() {
  if (geteuid() != 0) return 0;
  const uid_t first = first_spare();
  if (first == 0) return 0;
  static std::atomic<unsigned> turn{0};
  const uid_t count = first == kFirstSpare ? kSpares : kSparesOfFew;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const uid_t user = first + (static_cast<uid_t>(getpid()) * 16 + turn++) % count;
    if (getpwuid(user) == nullptr && !runs_anything(user)) return user;
  }
  return 0;
}

void give(const std::string& folder, uid_t user) {
  // never through a link, and not a file that has a second name outside
  const auto to_user = [user](const fs::path& path) {
    struct stat facts {};
    if (lstat(path.c_str(), &facts) != 0 || (!S_ISDIR(facts.st_mode) && facts.st_nlink > 1)) return;
    (void)!lchown(path.c_str(), user, user);
  };
  to_user(folder);
  std::error_code unreadable;
  for (const auto& entry : fs::recursive_directory_iterator(folder, unreadable)) to_user(entry.path());
}

bool become(uid_t user) {
  if (user == 0) return false;
  return setgroups(0, nullptr) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0 &&
         getuid() == user && geteuid() == user && setuid(0) != 0;
}

void give_up_capabilities() {
  constexpr unsigned long kMost = 64;
  for (unsigned long capability = 0; capability < kMost; ++capability)
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void kill_all_of(uid_t user) {
  if (user == 0) return;
  // Only one of that user can name all of it at once. What is killed may kill it first: then another one goes
  // on.
  for (int attempt = 0; attempt < 1000 && (attempt == 0 || runs_anything(user)); ++attempt) {
    const pid_t helper = fork();
    if (helper == 0) {
      if (become(user)) ::kill(-1, SIGKILL);
      _exit(0);
    }
    if (helper > 0) waitpid(helper, nullptr, 0);
    if (attempt > 0) usleep(1000);
  }
}

void kill_session(pid_t session) {
  if (session <= 1 || session == getsid(0)) return;
  for (int turn = 0; turn < 1000; ++turn) {
    bool found = false;
    each_process([&](pid_t process, const fs::path& folder) {
      std::ifstream file(folder / "stat");
      std::stringstream text;
      text << file.rdbuf();
      // "pid (name) state parent group session": the name may hold anything
      const std::string line = text.str();
      const std::size_t end = line.rfind(')');
      if (end == std::string::npos) return;
      std::istringstream rest(line.substr(end + 1));
      char state = 0;
      long parent = 0, group = 0, its_session = 0;
      rest >> state >> parent >> group >> its_session;
      if (its_session != session || state == 'Z' || state == 'X' || process == getpid()) return;
      found = ::kill(process, SIGKILL) == 0 || found;
    });
    if (!found) return;
    usleep(1000);
  }
}

}  // namespace gemmlab::submissions
