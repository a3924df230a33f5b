#pragma once

// What `gemmlab submit` reads and writes on disk.

#include <filesystem>
#include <string>
#include <vector>

namespace gemmlab::runner {

/// A file's bytes; empty where there is none.
std::string text_of(const std::filesystem::path& file);

/// Makes it and those above it. Throws UsageError where that cannot be.
void make_folder(const std::filesystem::path& folder);

/// The files given, and the submissions in the folders given, each folder's in the order of their names.
/// Throws UsageError for a folder without any, and for two of one name.
std::vector<std::string> submission_files(const std::vector<std::string>& paths);

/// A folder of ours for one invocation, with a copy of this program that an unprivileged user may start
/// wherever the program itself lies. Gone at the end.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string program() const { return path_ + "/gemmlab"; }

 private:
  std::string path_;
};

}  // namespace gemmlab::runner
