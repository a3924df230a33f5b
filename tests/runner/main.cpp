#include <gmock/gmock.h>

#include <cstdlib>

int main(int argc, char** argv) {
  ::setenv("GEMMLAB_ROOT", GEMMLAB_SOURCE_ROOT, 1);  // experiments/ is found wherever the test is started
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
