#include "submissions/judge/processes/process_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace gemmlab::submissions {

bool stands_still(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process) + "/task/";
  DIR* tasks = opendir(folder.c_str());
  if (tasks == nullptr) return true;  // gone
  bool still = true;
  while (const dirent* entry = still ? readdir(tasks) : nullptr) {
    if (entry->d_name[0] == '.') continue;
    const int file = open((folder + entry->d_name + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
    char text[128];  // "pid (name) state": a name has at most 15 letters
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text);
    if (file >= 0) close(file);
    const std::string_view line(text, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    const std::size_t name_end = line.rfind(") ");
    if (name_end == std::string_view::npos || name_end + 2 >= line.size()) continue;  // gone
    still = std::strchr("TtZX", line[name_end + 2]) != nullptr;
  }
  closedir(tasks);
  return still;
}

std::vector<pid_t> threads_of(pid_t process, const std::string& proc) {
  std::vector<pid_t> ids;
  std::error_code gone;  // threads come and go meanwhile
  const std::string tasks = proc + "/" + std::to_string(process) + "/task";
  for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone))
    ids.push_back(std::atoi(task->path().filename().c_str()));
  return ids;
}

double cpu_s(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (process <= 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::int64_t memory_bytes(pid_t process) {
  std::int64_t kib = 0;
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    for (const char* kind : {"RssAnon:", "RssShmem:"}) {
      if (line.rfind(kind, 0) == 0) kib += std::atoll(line.c_str() + std::strlen(kind));
    }
  }
  return kib * 1024;
}

bool takes_more_than(const std::string& folder, std::int64_t bytes) {
  constexpr int kMostFiles = 10000;
  int files = 0;
  std::error_code gone;  // files come and go meanwhile
  for (std::filesystem::recursive_directory_iterator file(folder, gone), end; !gone && file != end;
       file.increment(gone)) {
    struct stat facts {};
    if (lstat(file->path().c_str(), &facts) == 0) bytes -= std::int64_t{facts.st_blocks} * 512;
    if (bytes < 0 || ++files > kMostFiles) return true;
  }
  // a folder that its owner may not read, or names too long for anyone, are there to hide what they hold
  return gone == std::errc::permission_denied || gone == std::errc::filename_too_long;
}

}  // namespace gemmlab::submissions
