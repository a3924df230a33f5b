// Files that hang, never end or lead nowhere, given as a definition or a results file.

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/definition/toml_reader.h"
#include "runner/regular_file.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kSmall =
    "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = 40\n[[group.run]]\n"
    "implementation = \"cpu.ikj\"\n";

class HostileFile : public Scratch {
 protected:
  /// Ended after 10 s: one that reads on and on must not take the machine with it.
  Finished guarded(const std::string& arguments) const {
    return shell("GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' timeout -s KILL 10 '" GEMMLAB_FAULTY "' " +
                 arguments);
  }
  Finished planned(const std::string& name) const {
    return guarded("run '" + path(name) + "' --dry-run --output '" + path("out") + "'");
  }
  static void expect_one_line(const Finished& finished, const std::string& file, const std::string& why) {
    EXPECT_EQ(finished.exit_status, 2) << finished.output;
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr(file + ": "));
    EXPECT_THAT(finished.output, HasSubstr(why));
  }
  /// Files that cannot be read as ordinary ones, and what is said of each.
  std::map<std::string, std::string> oddities(const std::string& ending) const {
    EXPECT_EQ(::mkfifo(path("fifo" + ending).c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", path("zero" + ending));
    fs::create_symlink("loop" + ending, path("loop" + ending));
    fs::create_directory(path("folder" + ending));
    return {{"fifo" + ending, "FIFO"},
            {"zero" + ending, "not an ordinary file"},
            {"loop" + ending, "symbolic links"},
            {"folder" + ending, "this is a folder"}};
  }
};

TEST_F(HostileFile, a_definition_is_an_ordinary_file) {
  for (const auto& [name, why] : oddities(".toml")) expect_one_line(planned(name), path(name), why);
  expect_one_line(planned("none.toml"), path("none.toml"), "there is no such file");
}

TEST_F(HostileFile, a_link_to_an_ordinary_definition_is_followed) {
  write("small.toml", kSmall);
  fs::create_symlink("small.toml", path("link.toml"));
  EXPECT_EQ(planned("link.toml").exit_status, 0);
}

TEST_F(HostileFile, a_definition_has_a_largest_size) {
  write("large.toml", kSmall);
  fs::resize_file(path("large.toml"), runner::kMostDefinitionBytes + 1);
  expect_one_line(planned("large.toml"), path("large.toml"), "over 16 MiB, the most that is allowed");
}

TEST_F(HostileFile, a_file_of_proc_has_bytes_though_it_says_none) {
  EXPECT_THAT(runner::read_regular_file("/proc/self/status", 1 << 20), HasSubstr("Name:"));
}

TEST_F(HostileFile, a_results_file_is_an_ordinary_file) {
  write("small.toml", kSmall);
  fs::create_directory(path("out"));
  const std::string results = path("out/small.jsonl");
  for (const auto& [name, why] : oddities(".jsonl")) {
    fs::rename(path(name), results);
    if (name == "loop.jsonl") {
      fs::remove(results);
      fs::create_symlink("small.jsonl", results);
    }
    for (const char* how : {" --dry-run", " --no-report"}) {
      const Finished run = guarded("run '" + path("small.toml") + "' --output '" + path("out") + "'" + how);
      expect_one_line(run, results, why);
    }
    fs::remove_all(results);
  }
}

TEST_F(HostileFile, a_results_folder_is_no_file) {
  write("small.toml", kSmall);
  write("out", "");
  expect_one_line(planned("small.toml"), path("out/small.jsonl"), "Not a directory");
}

TEST_F(HostileFile, nothing_is_learnt_from_odd_files_beside) {
  write("small.toml", kSmall);
  for (const auto& [name, why] : oddities(".jsonl")) EXPECT_FALSE(why.empty());
  const Finished dry = guarded("run '" + path("small.toml") + "' --dry-run --output '" + path("") + "'");
  EXPECT_EQ(dry.exit_status, 0) << dry.output;
}

}  // namespace
}  // namespace gemmlab::test
