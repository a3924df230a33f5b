#pragma once

// The outer part of the sandbox where bubblewrap is there: its command line.

#include <map>
#include <string>
#include <vector>

#include "submissions/sandbox/sandbox.h"

namespace gemmlab::submissions {

struct Bubblewrap {
  std::string path;     ///< empty where it cannot be used
  std::string setpriv;  ///< becomes the made-up user inside, where we are root
  std::string env;      ///< sets the working folder, and undoes what bubblewrap does to PWD
  bool sizes = false;   ///< can limit the size of a file system in memory
  std::string why_not;
};

/// Looks for it and tries it once; leave_out_bubblewrap() switches it off.
Bubblewrap bubblewrap();

/// Numbers of file descriptors that bubblewrap itself is given. filter: -1 for none.
struct BubblewrapFds {
  int status = -1;
  int filter = -1;
};

/// The whole command that runs `argv` within. `user`: made-up user to become, 0 for none.
std::vector<std::string> wrapped(const Bubblewrap& with, const std::vector<std::string>& argv,
                                 const std::map<std::string, std::string>& environment,
                                 const Confinement& confinement, uid_t user, const BubblewrapFds& fds);

/// The same for a bare confinement: nothing of the file system but what it names.
std::vector<std::string> wrapped_bare(const Bubblewrap& with, const std::vector<std::string>& argv,
                                      const Confinement& confinement, uid_t user, const BubblewrapFds& fds);

/// A program's place on PATH; empty: none.
std::string on_path(const std::string& program);

}  // namespace gemmlab::submissions
