#include "gpu/libraries/nccl.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpu/libraries/nccl_library.h"
#include "gpu/libraries/python_files.h"

namespace gemmlab::gpu {
namespace {

TEST(Nccl, one_that_is_not_there_is_refused_with_what_the_loader_said) {
  const DynamicLibrary absent({"libgemmlab-there-is-no-such-library.so.1"});
  EXPECT_EQ(Nccl(absent).why_not(), "NCCL was not found (" + absent.why() + ")");
  EXPECT_NE(absent.why().find("libgemmlab-there-is-no-such-library.so.1"), std::string::npos);
}

TEST(Nccl, a_library_that_lacks_a_function_is_refused_with_its_path_and_the_name) {
  const DynamicLibrary other({"libm.so.6"});
  ASSERT_TRUE(other.found());
  EXPECT_EQ(Nccl(other).why_not(), other.path() + " is no NCCL: it has no ncclGetVersion");
  const DynamicLibrary old({GEMMLAB_PLANTED_OLD_NCCL});
  EXPECT_EQ(Nccl(old).why_not(), old.path() + " is no NCCL: it has no ncclSend");
  EXPECT_EQ(Nccl(old).version(), "2.6.4") << "numbered as before 2.9";
}

TEST(Nccl, its_version_is_read_and_its_errors_are_put_into_words) {
  const DynamicLibrary planted({GEMMLAB_PLANTED_NCCL});
  const Nccl nccl(planted);
  EXPECT_EQ(nccl.why_not(), "");
  EXPECT_EQ(nccl.version(), "2.28.9");
  EXPECT_EQ(nccl.communicators(3).size(), 3u);
  try {
    nccl.communicators(0);
    FAIL() << "no card was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "ncclCommInitAll answered 4 (invalid argument)");
  }
}

/// In a process of its own: the library is opened once.
TEST(NcclLibrary, multicast_is_off_unless_the_user_has_asked_for_it) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto with = [](const char* asked) {
    asked == nullptr ? unsetenv("NCCL_NVLS_ENABLE") : setenv("NCCL_NVLS_ENABLE", asked, 1);
    setenv("GEMMLAB_NCCL", GEMMLAB_PLANTED_NCCL, 1);
    const bool chosen = nccl_library().path() == GEMMLAB_PLANTED_NCCL;
    std::exit(chosen ? std::atoi(std::getenv("NCCL_NVLS_ENABLE")) : 99);
  };
  EXPECT_EXIT(with(nullptr), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(with("1"), ::testing::ExitedWithCode(1), "");
}

TEST(PythonFiles, are_found_beside_each_python_of_the_path_in_its_order) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("gemmlab_python_files_" + std::to_string(getpid()));
  const auto put = [](const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "";
    return file.string();
  };
  const std::string name = "nvidia/nccl/lib/libnccl.so.2";
  put(root / "a/bin/python3");
  put(root / "b/bin/python3");
  const std::string of_b = put(root / "b/lib/python3.12/site-packages" / name);
  const std::string of_a = put(root / "a/lib/python3.11/site-packages" / name);
  put(root / "no_python/lib/python3.11/site-packages" / name);
  fs::create_directories(root / "no_python/bin");
  const std::string before = std::getenv("PATH");
  const std::string there = root.string();
  setenv("PATH",
         (there + "/no_python/bin::" + there + "/b/bin:" + there + "/a/bin:" + there + "/b/bin").c_str(), 1);
  EXPECT_EQ(python_files(name), (std::vector<std::string>{of_b, of_a}));
  EXPECT_EQ(python_files("nvidia/other"), std::vector<std::string>());
  unsetenv("PATH");
  EXPECT_EQ(python_files(name), std::vector<std::string>());
  setenv("PATH", before.c_str(), 1);
  fs::remove_all(root);
}

}  // namespace
}  // namespace gemmlab::gpu
