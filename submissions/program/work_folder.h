#pragma once

#include <string>

namespace gemmlab::submissions {

/// A folder for one hand-in, with a copy of this program that an unprivileged user may start wherever
/// the program itself lies. Removed by the destructor.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string program() const { return path_ + "/gemmlab-judge"; }

 private:
  std::string path_;
};

}  // namespace gemmlab::submissions
