#include "operations/tuned.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gemmlab {
namespace {

class TunedFile : public ::testing::Test {
 protected:
  TunedFile()
      : folder_(std::filesystem::temp_directory_path() / ("gemmlab-tuned-" + std::to_string(getpid()))),
        file_((folder_ / "below" / "tuned.json").string()) {}
  ~TunedFile() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path());
    std::ofstream(file_) << text;
  }
  std::filesystem::path folder_;
  std::string file_;
};

TEST_F(TunedFile, gives_back_what_was_written_for_that_card_and_implementation) {
  EXPECT_TRUE(read_tuned(file_, "card", "gpu.one").empty());
  write_tuned(file_, "card", "gpu.one",
              {{{4096, 2048, 1024}, "256x128", 51000, 1.25}, {{1, 2, 3}, "a", 4, 1}});
  write_tuned(file_, "card", "gpu.two", {{{5, 6, 7}, "b", 8, 1}});
  write_tuned(file_, "other card", "gpu.one", {{{8, 8, 8}, "c", 9, 1}});
  const auto found = read_tuned(file_, "card", "gpu.one");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].shape, (Shape{4096, 2048, 1024}));
  EXPECT_EQ(found[0].choice, "256x128");
  EXPECT_EQ(found[0].gflop_per_s, 51000);
  EXPECT_EQ(found[0].over_automatic, 1.25);
  EXPECT_EQ(read_tuned(file_, "card", "gpu.two").size(), 1u);
  write_tuned(file_, "card", "gpu.one", {});
  EXPECT_TRUE(read_tuned(file_, "card", "gpu.one").empty());
  EXPECT_EQ(read_tuned(file_, "card", "gpu.two").size(), 1u);
  EXPECT_EQ(read_tuned(file_, "other card", "gpu.one").size(), 1u);
}

TEST_F(TunedFile, is_whole_and_alone_after_two_processes_wrote_it_at_once) {
  write_tuned(file_, "card", "gpu.one", {});
  const pid_t other = ::fork();
  ASSERT_GE(other, 0);
  const std::vector<Tuned> many(300, {{1, 2, 3}, other == 0 ? "a" : "b", 4, 1});
  const auto write_often = [&] {
    for (int i = 0; i < 30; ++i) write_tuned(file_, "card", "gpu.one", many);
  };
  if (other == 0) {
    try {
      write_often();
    } catch (const std::exception&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  EXPECT_NO_THROW(write_often());
  int status = -1;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(status, 0) << "the other process could not write";
  const auto found = read_tuned(file_, "card", "gpu.one");
  ASSERT_EQ(found.size(), many.size());
  EXPECT_EQ(found.front().choice, found.back().choice);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "below"), {}), 1);
}

TEST_F(TunedFile, that_cannot_be_written_is_named) {
  write_tuned(file_, "card", "gpu.one", {});
  const std::string in_a_file = file_ + "/below.json";
  try {
    write_tuned(in_a_file, "card", "gpu.one", {});
    ADD_FAILURE() << "a file is no folder";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), in_a_file + " cannot be written");
  }
}

TEST_F(TunedFile, that_is_no_table_is_named) {
  for (const char* text :
       {"", "{", "[]", R"({"schema": 2, "cards": {}})", R"({"schema": "1", "cards": {}})", R"({"schema": 1})",
        R"({"schema": 1, "cards": {"card": []}})",
        R"({"schema": 1, "cards": {"card": {"gpu.one": [{"m": 1}]}}})",
        R"({"schema": 1, "cards": {"card": {"gpu.one": [{"m": 0, "n": 1, "k": 1, "choice": "a",
                              "gflop_per_s": 1, "over_automatic": 1}]}}})"}) {
    write(text);
    try {
      read_tuned(file_, "card", "gpu.one");
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(file_), std::string::npos);
    }
  }
}

TEST_F(TunedFile, that_is_no_table_is_not_written_over) {
  for (const char* text : {R"({"schema": "1", "cards": {}})", R"({"schema": 1, "cards": {"card": []}})"}) {
    write(text);
    EXPECT_THROW(write_tuned(file_, "card", "gpu.one", {{{5, 6, 7}, "b", 8, 1}}), std::runtime_error);
    std::ifstream stream(file_);
    std::string left;
    std::getline(stream, left);
    EXPECT_EQ(left, text);
  }
}

TEST_F(TunedFile, lies_in_the_users_data_folder) {
  const char* before = std::getenv("XDG_DATA_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(tuned_file(), "/data/gemmlab/tuned.json");
  unsetenv("XDG_DATA_HOME");
  EXPECT_NE(tuned_file().find("/.local/share/gemmlab/tuned.json"), std::string::npos);
  if (before != nullptr) setenv("XDG_DATA_HOME", kept.c_str(), 1);
}

TEST(TunedNearest, is_near_in_every_side_and_alike_in_alignment) {
  const std::vector<Tuned> tuned = {{{4096, 4096, 4096}, "large", 1, 1},
                                    {{3072, 4096, 4096}, "lower", 1, 1},
                                    {{4097, 4097, 4097}, "odd", 1, 1},
                                    {{16, 4096, 4096}, "flat", 1, 1}};
  const auto choice = [&](const Shape& shape) {
    const Tuned* found = nearest(tuned, shape);
    return found == nullptr ? std::string("none") : found->choice;
  };
  EXPECT_EQ(choice({4096, 4096, 4096}), "large");
  EXPECT_EQ(choice({3300, 4000, 4400}), "lower");
  EXPECT_EQ(choice({4095, 4095, 4095}), "odd");
  EXPECT_EQ(choice({24, 4096, 4096}), "flat");
  EXPECT_EQ(choice({25, 4096, 4096}), "none");
  EXPECT_EQ(choice({4096, 4096, 1024}), "none");
}

}  // namespace
}  // namespace gemmlab
