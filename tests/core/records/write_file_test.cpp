#include "core/records/write_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/scratch.h"

namespace gemmlab {
namespace {

using WriteFile = test::ScratchFolder;

TEST_F(WriteFile, two_processes_that_write_one_file_leave_a_whole_text_and_nothing_beside_it) {
  const std::string file = path("shared.json");
  const auto text = [](char letter) { return std::string(100000, letter) + "\n"; };
  const pid_t other = ::fork();
  ASSERT_GE(other, 0);
  const auto write_often = [&] {
    for (int i = 0; i < 300; ++i) write_in_one_step(file, text(other == 0 ? 'a' : 'b'));
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
  const std::string found = read(file);
  EXPECT_EQ(found, text(found.front()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(WriteFile, names_the_file_that_cannot_be_written) {
  const std::string file = path("none") + "/x.json";
  try {
    write_in_one_step(file, "text");
    ADD_FAILURE() << "there is no such folder";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), file + " cannot be written");
  }
}

}  // namespace
}  // namespace gemmlab
