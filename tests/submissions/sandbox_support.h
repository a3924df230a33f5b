#pragma once

// Runs the probe under confinement, with and without bubblewrap.

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "submissions/sandbox/sandbox.h"

namespace gemmlab::submissions::probed {

inline constexpr std::int64_t kMemoryBytes = std::int64_t{64} << 20;
inline constexpr std::int64_t kFileBytes = std::int64_t{1} << 20;
inline constexpr int kThreads = 5;

/// The parameter: with bubblewrap (where it is there) or without.
class SandboxTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    leave_out_bubblewrap(!GetParam());
    confinement_.scratch = new_folder(std::filesystem::temp_directory_path());
    confinement_.readable = {std::filesystem::canonical(GEMMLAB_PROBE).string()};
    confinement_.memory_bytes = kMemoryBytes;
    confinement_.file_bytes = kFileBytes;
    confinement_.threads = kThreads;
    output_ = ::memfd_create("output", MFD_CLOEXEC);
    isolation_ = isolation(confinement_);
  }
  void TearDown() override {
    ::close(output_);
    for (const auto& folder : folders_) std::filesystem::remove_all(folder);
    leave_out_bubblewrap(false);
  }

  std::string new_folder(const std::filesystem::path& place) {
    std::string name = (std::filesystem::canonical(place) / "gemmlab-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder in " + place.string());
    folders_.emplace_back(name);
    return name;
  }

  Confined start(const std::string& part, const std::vector<std::string>& action,
                 const std::vector<std::pair<int, int>>& fds = {},
                 const std::map<std::string, std::string>& environment = {}) const {
    std::vector<std::string> argv{std::filesystem::canonical(GEMMLAB_PROBE).string(),
                                  part,
                                  confinement_.scratch,
                                  std::to_string(confinement_.memory_bytes),
                                  std::to_string(confinement_.file_bytes),
                                  std::to_string(confinement_.threads),
                                  confinement_.gpu ? "1" : "0"};
    argv.insert(argv.end(), action.begin(), action.end());
    return Confined(argv, environment, fds, output_, confinement_);
  }
  /// Its wait status. What hangs is caught by the time limit of the test.
  static int wait(Confined& process) {
    int status = 0;
    while (!process.ended(status)) ::usleep(2000);
    return status;
  }
  /// All that the probe prints.
  std::string run(const std::string& part, const std::vector<std::string>& action) {
    (void)!::ftruncate(output_, 0);
    ::lseek(output_, 0, SEEK_SET);
    Confined process = start(part, action);
    status_ = wait(process);
    return printed();
  }
  std::string printed() const {
    std::string text(1 << 16, '\0');
    const ssize_t length = ::pread(output_, text.data(), text.size(), 0);
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
  }

  bool holds(const std::string& words) const { return names(isolation_.holds, words); }
  bool lacks(const std::string& words) const { return names(isolation_.missing, words); }

  Confinement confinement_;
  Isolation isolation_;
  int output_ = -1;
  int status_ = 0;

 private:
  static bool names(const std::vector<std::string>& list, const std::string& words) {
    for (const std::string& one : list) {
      if (one.find(words) != std::string::npos) return true;
    }
    return false;
  }
  std::vector<std::filesystem::path> folders_;
};

/// Ends the test where `words` do not hold, which isolation() must then own up to.
#define GEMMLAB_NEEDS(words, missing)                                   \
  if (!holds(words)) {                                                  \
    EXPECT_TRUE(lacks(missing)) << "neither holds nor missing: " words; \
    return;                                                             \
  }

}  // namespace gemmlab::submissions::probed
