#include "submissions/judge/explaining/asked_threads.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace gemmlab::submissions {

AskedThreads asked_threads(const Submission& submission) {
  std::ifstream file(submission.path, std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const auto has = [&](const char* word) { return source.find(word) != std::string::npos; };
  constexpr const char* kOwn[] = {"std::thread", "std::jthread", "std::async", "pthread_create"};
  return {has("omp parallel"), std::any_of(std::begin(kOwn), std::end(kOwn), has)};
}

}  // namespace gemmlab::submissions
