// A root that holds next to nothing: the program, the libraries that every program is linked with, and what is named.

#include <filesystem>
#include <set>

#include "submissions/sandbox/bubblewrap_words.h"

namespace gemmlab::submissions {
namespace {

namespace fs = std::filesystem;

/// Makes the folders above, open to all: bubblewrap would close them to the made-up user.
void folders_above(Words& words, std::set<fs::path>& made, const fs::path& path) {
  fs::path folder;
  for (const fs::path& part : path.parent_path()) {
    folder /= part;
    if (folder != "/" && made.insert(folder).second) add(words, {"--dir", folder});
  }
}

void show(Words& words, std::set<fs::path>& made, const fs::path& path) {
  std::error_code missing;
  const fs::path place = fs::weakly_canonical(path.parent_path(), missing) / path.filename();
  if (missing || !fs::exists(path) || !made.insert(place).second) return;
  folders_above(words, made, place);
  add(words, {"--ro-bind", fs::canonical(path), place});
}

}  // namespace

void add(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

void namespaces(Words& words, bool as_root) {
  if (as_root) {
    // no user namespace: root needs none, and files that only root may reach can be bound
    add(words, {"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"});
    add(words, {"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add",
                "CAP_SETPCAP"});
  } else {
    add(words, {"--unshare-all", "--cap-drop", "ALL"});
  }
  add(words, {"--die-with-parent", "--new-session"});
}

void begin_command(Words& words, const BubblewrapFds& fds) {
  if (fds.status >= 0) add(words, {"--json-status-fd", std::to_string(fds.status)});
  if (fds.filter >= 0) add(words, {"--seccomp", std::to_string(fds.filter)});
  add(words, {"--"});
}

std::vector<std::string> wrapped_bare(const Bubblewrap& with, const std::vector<std::string>& argv,
                                      const Confinement& confinement, uid_t user, const BubblewrapFds& fds) {
  Words words{with.path};
  namespaces(words, user != 0);
  std::set<fs::path> made;
  for (const char* link : {"/lib", "/lib32", "/lib64"}) {  // of systems where all of it lies in /usr
    if (fs::is_symlink(link)) add(words, {"--symlink", fs::read_symlink(link), link});
  }
  for (const std::string& path : system_libraries()) show(words, made, path);
  for (const std::string& path : confinement.readable) show(words, made, path);
  show(words, made, argv.at(0));
  const fs::path scratch = fs::canonical(confinement.scratch);
  folders_above(words, made, scratch / "x");
  add(words, {"--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"});
  for (const char* machine : {"/sys/devices/system/cpu", "/sys/devices/system/node"})
    add(words, {"--ro-bind-try", machine, machine});
  add(words, {"--remount-ro", "/", "--chdir", scratch});
  begin_command(words, fds);
  words.insert(words.end(), argv.begin(), argv.end());
  if (user != 0) words.push_back(std::to_string(user));
  return words;
}

}  // namespace gemmlab::submissions
