#pragma once

// A place for the files of one judgement.

#include <string>

namespace gemmlab::submissions {

/// A folder for one hand-in, with copies of this program and of the small ones beside it, which an unprivileged user may
/// start wherever they lie themselves. Removed by the destructor.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string program() const { return path_ + "/gemmlab-judge"; }
  std::string callee() const { return path_ + "/gemmlab-callee"; }
  /// Missing where the build has no CUDA.
  std::string gpu_callee() const { return path_ + "/gemmlab-callee-gpu"; }

 private:
  std::string path_;
};

}  // namespace gemmlab::submissions
