#pragma once

// A folder for each test, and commands run there.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace gemmlab::test {

/// A folder of its own for each test, gone afterwards.
class ScratchFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gemmlab-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string read(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  struct Finished {
    int exit_status = 0;
    std::string output;  ///< standard output and error
  };
  Finished shell(const std::string& command) const {
    const int status = std::system((command + " >'" + path("output") + "' 2>&1").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(path("output"))};
  }

  std::filesystem::path folder_;
};

}  // namespace gemmlab::test
