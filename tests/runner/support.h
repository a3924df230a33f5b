#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/records/record.h"
#include "runner/usage_error.h"
#include "tests/scratch.h"

namespace gemmlab::test {

/// Runs the program with planted faults, and reads what it has recorded.
class Scratch : public ScratchFolder {
 protected:
  Finished faulty(const std::string& arguments) const {
    return shell("GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_FAULTY "' " + arguments);
  }

  /// The message with which `read` refuses the file, which it must name first, in one line; what follows the
  /// name.
  static std::string refusal_of(const std::function<void()>& read, const std::string& file) {
    try {
      read();
    } catch (const runner::UsageError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << "one line is promised: " << message;
      EXPECT_EQ(message.substr(0, file.size()), file);
      return message.substr(file.size());
    }
    return "accepted";
  }

  /// The arguments that run the definition NAME.toml of this folder; records go to out/NAME.jsonl.
  std::string run_of(const std::string& name) const {
    return "run '" + path(name + ".toml") + "' --no-report --output '" + path("out") + "'";
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
};

}  // namespace gemmlab::test
