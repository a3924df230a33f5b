#include <gmock/gmock.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "core/records/sha256.h"
#include "submissions/build/build.h"
#include "tests/scratch.h"
namespace gemmlab::submissions {
namespace {

using ::testing::HasSubstr;

class ReadSubmissionTest : public test::ScratchFolder {
 protected:
  static std::string refusal(const std::string& path) {
    try {
      read_submission(path);
    } catch (const std::invalid_argument& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find(path + ": "), 0u) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message.substr(path.size() + 2);
    }
    return "accepted";
  }
};

TEST_F(ReadSubmissionTest, the_ending_decides_on_the_device) {
  for (const char* name : {"a.cpp", "a.cc", "a.cxx", "a.b.cpp"}) {
    EXPECT_EQ(read_submission(write(name, "x")).device, Device::kCpu) << name;
  }
  const Submission submission = read_submission(write("a.cu", "x"));
  EXPECT_EQ(submission.device, Device::kGpu);
  EXPECT_EQ(submission.name, "a.cu");
  EXPECT_EQ(submission.sha256, sha256("x"));
}

TEST_F(ReadSubmissionTest, what_is_no_submission_is_refused_in_a_line) {
  EXPECT_THAT(refusal(path("none.cpp")), HasSubstr("no such file"));
  EXPECT_THAT(refusal(folder_.string()), HasSubstr("folder"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("ordinary file"));
  for (const char* name : {"a.py", "a.CU", "a.cpp.txt", "a", "a.h"}) {
    EXPECT_THAT(refusal(write(name, "x")), HasSubstr(".cu")) << name;
  }
}

TEST_F(ReadSubmissionTest, a_file_that_cannot_be_compiled_is_its_authors_mistake) {
  EXPECT_THAT(read_submission(write("empty.cpp", "")).refused, HasSubstr("empty"));
  EXPECT_THAT(read_submission(write("large.cpp", std::string((1 << 20) + 1, ' '))).refused,
              HasSubstr("1 MiB"));
  EXPECT_THAT(read_submission(write("program.cpp", std::string("\x7f"
                                                               "ELF\0\0",
                                                               6)))
                  .refused,
              HasSubstr("no source text"));
  EXPECT_EQ(read_submission(write("fits.cpp", std::string(1 << 20, ' '))).refused, "");
  std::filesystem::create_symlink(path("fits.cpp"), path("link.cpp"));
  const Submission link = read_submission(path("link.cpp"));
  EXPECT_THAT(link.refused, HasSubstr("link"));
  EXPECT_EQ(link.sha256, sha256("")) << "what it leads to is not read";
  const Build result = build(link, {}, folder_.string(), {});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, link.refused);
}

}  // namespace
}  // namespace gemmlab::submissions
