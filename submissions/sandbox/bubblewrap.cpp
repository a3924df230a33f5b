#include "submissions/sandbox/bubblewrap.h"

#include <pwd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "submissions/sandbox/bubblewrap_words.h"
#include "submissions/sandbox/devices.h"
#include "submissions/sandbox/start.h"
#include "submissions/sandbox/user.h"

namespace gemmlab::submissions {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSharedBytes = "268435456";  // what the CUDA driver keeps in /dev/shm is far less
constexpr int kTrialLimit_ms = 20000;

bool beneath(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  (void)rest;
  return end == folder.end();
}

/// A home that lies among the system's own folders (that of a service) cannot be hidden without hiding those.
bool part_of_the_system(const fs::path& home) {
  static const std::set<std::string> kSystem{"bin", "boot", "dev",  "etc",  "lib", "lib64",
                                             "nix", "opt",  "proc", "sbin", "sys", "usr"};
  const fs::path below = home.relative_path();
  return below.empty() || kSystem.count(*below.begin()) > 0;
}

/// What holds other people's files and sockets: homes, temporary files, and /run, where the doors of services
/// are.
std::set<fs::path> hidden_folders() {
  std::vector<fs::path> wishes{"/home", "/root", "/tmp", "/var/tmp", "/run"};
  if (const char* home = std::getenv("HOME"); home != nullptr) wishes.emplace_back(home);
  if (const passwd* entry = getpwuid(getuid()); entry != nullptr) wishes.emplace_back(entry->pw_dir);
  std::set<fs::path> folders;
  for (const fs::path& wish : wishes) {
    std::error_code missing;
    const fs::path folder = fs::canonical(wish, missing);
    if (missing || !fs::is_directory(folder, missing) || part_of_the_system(folder)) continue;
    const bool inside = std::any_of(folders.begin(), folders.end(),
                                    [&](const fs::path& other) { return beneath(folder, other); });
    if (!inside) folders.insert(folder);
  }
  return folders;
}

void devices(Words& words, const Bubblewrap& with, bool gpu) {
  add(words, {"--dev", "/dev"});
  if (gpu) {
    for (const std::string& device : gpu_devices()) add(words, {"--dev-bind", device, device});
    add(words, {"--perms", "1777"});
    if (with.sizes) add(words, {"--size", kSharedBytes});
    add(words, {"--tmpfs", "/dev/shm"});
  }
  add(words, {"--remount-ro", "/dev"});
}

/// Binds what lies in a hidden folder back into it. The folders between are made first, open to all:
/// bubblewrap would close them to the made-up user.
void show(Words& words, const std::set<fs::path>& hidden, const fs::path& path, const char* how) {
  const auto folder =
      std::find_if(hidden.begin(), hidden.end(), [&](const fs::path& one) { return beneath(path, one); });
  if (folder != hidden.end()) {
    fs::path between = *folder;
    for (const fs::path& part : path.parent_path().lexically_relative(*folder)) {
      if (part == "." || part == "..") continue;
      between /= part;
      add(words, {"--dir", between});
    }
  }
  add(words, {how, path, path});
}

/// The whole file system, less what is other people's; or, for a compiler, an empty one with what a compiler needs: what
/// lies elsewhere cannot be included. Returns the folders in which nothing is left.
std::set<fs::path> lay_ground(Words& words, const Confinement& confinement) {
  if (!confinement.processes) {
    add(words, {"--ro-bind", "/", "/", "--proc", "/proc"});
    const std::set<fs::path> hidden = hidden_folders();
    for (const fs::path& folder : hidden) add(words, {"--tmpfs", folder});
    return hidden;
  }
  for (const fs::path folder : toolchain_folders()) {
    // bubblewrap would close the folders above to the made-up user
    if (folder.parent_path() != "/") add(words, {"--dir", folder.parent_path()});
    if (fs::is_symlink(folder)) {
      add(words, {"--symlink", fs::read_symlink(folder), folder});
    } else {
      add(words, {"--ro-bind", folder, folder});
    }
  }
  for (const std::string& library : blas_libraries()) add(words, {"--ro-bind", "/dev/null", library});
  add(words, {"--proc", "/proc"});
  return {"/"};
}

/// Is it there from the ground up?
bool of_the_toolchain(const Confinement& confinement, const fs::path& path) {
  const std::vector<std::string> folders = toolchain_folders();
  return confinement.processes && std::any_of(folders.begin(), folders.end(),
                                              [&](const fs::path& folder) { return beneath(path, folder); });
}

void files(Words& words, const std::string& program, const Confinement& confinement,
           const std::set<fs::path>& hidden) {
  std::set<fs::path> shown;  // in order, so that a folder comes before what lies in it
  for (const std::string& path : confinement.readable) shown.insert(fs::weakly_canonical(path));
  shown.insert(fs::weakly_canonical(program));
  for (const fs::path& path : shown) {
    const bool is_hidden = std::any_of(hidden.begin(), hidden.end(),
                                       [&](const fs::path& folder) { return beneath(path, folder); });
    if (is_hidden && !of_the_toolchain(confinement, path) && fs::exists(path))
      show(words, hidden, path, "--ro-bind");
  }
  const fs::path scratch = fs::canonical(confinement.scratch);
  show(words, hidden, scratch, "--bind");
  for (const fs::path& folder : hidden) {
    // scratch or something shown may have taken its place
    if (folder != scratch && shown.count(folder) == 0) add(words, {"--remount-ro", folder});
  }
}

bool works(Bubblewrap& with) {
  std::string scratch = (fs::temp_directory_path() / "gemmlab-bwrap-XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) return false;
  Confinement confinement;
  confinement.scratch = scratch;
  confinement.gpu = true;  // the longer command
  const uid_t user = spare_user();
  if (user != 0) give(scratch, user);
  const int said = memfd_create("gemmlab-bwrap", MFD_CLOEXEC);
  ProcessStart launch;
  launch.command = wrapped(with, {on_path("true")}, {}, confinement, user, {});
  launch.output = said;
  bool good = false;
  try {
    good = wait_or_kill(start(launch), kTrialLimit_ms) == 0;
  } catch (const std::runtime_error& error) {
    with.why_not = error.what();
  }
  std::array<char, 300> text{};
  const ssize_t length = pread(said, text.data(), text.size() - 1, 0);
  if (length > 0) with.why_not = std::string(text.data(), std::strcspn(text.data(), "\n"));
  close(said);
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return good;
}

Bubblewrap tried() {
  Bubblewrap found;
  found.path = on_path("bwrap");
  found.setpriv = on_path("setpriv");
  found.env = on_path("env");
  if (found.path.empty()) {
    found.why_not = "bubblewrap is not installed (apt install bubblewrap)";
    return found;
  }
  if (found.env.empty() || (spare_user() != 0 && found.setpriv.empty())) {
    found.why_not =
        "bubblewrap cannot be used without `env` and `setpriv` (apt install coreutils util-linux)";
    found.path.clear();
    return found;
  }
  for (const bool sizes : {true, false}) {
    found.sizes = sizes;
    if (works(found)) {
      found.why_not.clear();
      return found;
    }
  }
  found.why_not = "bubblewrap does not work here (" + found.why_not + ")";
  found.path.clear();
  return found;
}

bool left_out = false;

}  // namespace

std::string on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + program;
    if (!folder.empty() && folder[0] == '/' && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

Bubblewrap bubblewrap() {
  if (left_out) return {{}, {}, {}, false, "bubblewrap is left out (--without-isolation)"};
  static const Bubblewrap found = tried();
  return found;
}

std::string why_not_isolated() {
  return bubblewrap().why_not;
}

void leave_out_bubblewrap(bool leave) {
  left_out = leave;
}

std::vector<std::string> wrapped(const Bubblewrap& with, const std::vector<std::string>& argv,
                                 const std::map<std::string, std::string>& environment,
                                 const Confinement& confinement, uid_t user, const BubblewrapFds& fds) {
  Words words{with.path};
  namespaces(words, user != 0);
  const std::set<fs::path> hidden = lay_ground(words, confinement);
  devices(words, with, confinement.gpu);
  files(words, argv.at(0), confinement, hidden);
  begin_command(words, fds);
  if (user != 0) {
    const std::string id = std::to_string(user);
    add(words, {with.setpriv, "--reuid", id, "--regid", id, "--clear-groups", "--bounding-set=-all",
                "--inh-caps=-all", "--no-new-privs", "--"});
  }
  // scratch is the made-up user's, and closed to bubblewrap itself; and that sets PWD, whatever it is told
  add(words, {with.env, "-C", fs::canonical(confinement.scratch)});
  const auto folder = environment.find("PWD");
  if (folder == environment.end()) {
    add(words, {"-u", "PWD"});
  } else {
    add(words, {"PWD=" + folder->second});
  }
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

}  // namespace gemmlab::submissions
