#include "gpu/libraries/cublasmp.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gemmlab::gpu {
namespace {

TEST(CublasMp, one_that_is_not_there_or_lacks_a_function_is_refused_with_the_reason) {
  const DynamicLibrary absent({"libgemmlab-there-is-no-such-library.so.0"});
  EXPECT_EQ(CublasMp(absent).why_not(), "cuBLASMp could not be opened (" + absent.why() + ")");
  const DynamicLibrary other({"libm.so.6"});
  EXPECT_EQ(CublasMp(other).why_not(),
            other.path() + " is no cuBLASMp that can be used: it has no cublasMpGetVersion");
}

TEST(CublasMp, one_of_before_one_program_could_use_several_cards_is_refused_with_its_version) {
  const DynamicLibrary planted({GEMMLAB_PLANTED_CUBLASMP});
  EXPECT_EQ(CublasMp(planted).why_not(), "");
  EXPECT_EQ(CublasMp(planted).version(), "0.10.0");
  setenv("GEMMLAB_PLANTED_CUBLASMP_VERSION", "901", 1);
  EXPECT_EQ(CublasMp(planted).why_not(),
            std::string(GEMMLAB_PLANTED_CUBLASMP) +
                " is cuBLASMp 0.9.1, and one program can use several cards since 0.10");
  unsetenv("GEMMLAB_PLANTED_CUBLASMP_VERSION");
}

TEST(CublasMp, its_statuses_are_put_into_words) {
  const DynamicLibrary planted({GEMMLAB_PLANTED_CUBLASMP});
  const CublasMp mp(planted);
  try {
    mp.create_matrix({8, 8, 0, 8, 8}, nullptr);
    FAIL() << "blocks of no rows were taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cublasMpMatrixDescriptorCreate answered 3 (invalid value)");
  }
}

}  // namespace
}  // namespace gemmlab::gpu
