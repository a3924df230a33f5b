#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/record.h"

namespace gemmlab::test {

/// A folder of its own for each test, gone afterwards.
class Scratch : public ::testing::Test {
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
  Finished faulty(const std::string& arguments) const {
    return shell("GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_FAULTY "' " + arguments);
  }

  /// The records of a results file, torn lines left out.
  static std::vector<Json> records(const std::string& file) {
    std::vector<Json> found;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      Json record = Json::parse(line, nullptr, false);
      if (!record.is_discarded()) found.push_back(std::move(record));
    }
    return found;
  }
  /// The points of the experiment: A/A twins are left out.
  static std::vector<Json> cases(const std::string& file) {
    std::vector<Json> found;
    for (Json& record : records(file)) {
      if (record.at("kind") == "case" && record.at("twin_of").is_null()) found.push_back(std::move(record));
    }
    return found;
  }
  static std::vector<Json> of_kind(const std::string& kind, const std::string& file) {
    std::vector<Json> found;
    for (Json& record : records(file)) {
      if (record.at("kind") == kind) found.push_back(std::move(record));
    }
    return found;
  }
  /// label -> status of every case.
  static std::map<std::string, std::string> statuses(const std::string& file) {
    std::map<std::string, std::string> found;
    for (const Json& record : cases(file)) found[record.at("label")] = record.at("status");
    return found;
  }

  std::filesystem::path folder_;
};

}  // namespace gemmlab::test
