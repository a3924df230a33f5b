#include "submissions/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "submissions/sandbox/devices.h"

namespace gemmlab::submissions {
namespace {

// What the headers of the oldest distribution that we build on do not have yet.
constexpr std::uint64_t kRefer = 1ULL << 13;      // version 2
constexpr std::uint64_t kTruncate = 1ULL << 14;   // version 3
constexpr std::uint64_t kBindTcp = 1ULL << 0;     // version 4
constexpr std::uint64_t kConnectTcp = 1ULL << 1;  // version 4
constexpr unsigned kAllThreads = 1U << 3;         // version 8
struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network;  // version 4
};

constexpr std::uint64_t kWritesToFolders =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

void allow(int rules, const std::string& path, std::uint64_t files, std::uint64_t folders) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return;
  struct stat facts {};
  fstat(fd, &facts);
  landlock_path_beneath_attr below{};
  below.allowed_access = S_ISDIR(facts.st_mode) ? files | folders : files;
  below.parent_fd = fd;
  (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
  close(fd);
}

}  // namespace

int landlock_version() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

/// Reading and running, where only that may be had which is named.
void allow_reading(int rules, const Confinement& confinement) {
  const std::uint64_t read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
  for (const std::string& path : confinement.readable) allow(rules, path, read, LANDLOCK_ACCESS_FS_READ_DIR);
  for (const std::string& path : system_libraries()) allow(rules, path, read, 0);
  if (confinement.processes) {
    allow(rules, confinement.scratch, read, LANDLOCK_ACCESS_FS_READ_DIR);
    for (const std::string& path : toolchain_folders()) allow(rules, path, read, LANDLOCK_ACCESS_FS_READ_DIR);
  }
  for (const char* path :
       {"/proc", "/sys/devices/system", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"})
    allow(rules, path, LANDLOCK_ACCESS_FS_READ_FILE, LANDLOCK_ACCESS_FS_READ_DIR);
}

int landlock_rules(const Confinement& confinement) {
  const int version = landlock_version();
  if (version == 0) return -1;
  const std::uint64_t files = LANDLOCK_ACCESS_FS_WRITE_FILE | (version >= 3 ? kTruncate : 0);
  const std::uint64_t folders = kWritesToFolders | (version >= 2 ? kRefer : 0);
  const bool named = confinement.bare || confinement.processes;
  const std::uint64_t reads =
      named ? LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE : 0;
  RulesetAttributes handled{files | folders | reads, kBindTcp | kConnectTcp};
  const std::size_t size = version >= 4 ? sizeof handled : sizeof handled.files;
  const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, size, 0));
  if (rules < 0) return -1;
  if (named) allow_reading(rules, confinement);
  if (!confinement.bare) allow(rules, confinement.scratch, files, folders);
  for (const char* device : {"/dev/null", "/dev/zero"}) allow(rules, device, files, 0);
  if (confinement.gpu) {
    allow(rules, "/dev/shm", files, folders);
    for (const std::string& device : gpu_devices()) allow(rules, device, files, 0);
  }
  return rules;
}

bool apply_landlock(int rules, int version) {
  if (rules < 0) return false;
  if (version >= 8 && syscall(SYS_landlock_restrict_self, rules, kAllThreads) == 0) return true;
  return syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

}  // namespace gemmlab::submissions
