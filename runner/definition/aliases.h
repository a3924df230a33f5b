#pragma once

// What others call the implementations: kernel 2, 1D blocktiling, 双缓存 (aliases.toml beside a rows.txt).

#include <optional>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "runner/catalogue.h"

namespace gemmlab::runner {

struct Alias {
  std::string id;
  std::string source;  ///< who calls it so; "usual": many do
  std::string name;
  Parameters parameters;  ///< that make our implementation theirs: block 32
};

/// In the files' order; read once. Throws UsageError where one cannot be read.
const std::vector<Alias>& aliases();

/// "kernel 2, GMEM coalescing": what others call the implementation; empty where nobody has a name for it.
std::string also_called(const std::string& id);

/// What one of others' names means, whatever its case, blanks, hyphens and underscores: an implementation of
/// `device` ("gpu"), or, where none is named, of any; nothing where it is nobody's name. Throws UsageError
/// where it means several implementations.
std::optional<Alias> alias_called(const std::string& text, const std::string& device = "");

/// "'kernel 3' is gpu.tiled, block 32".
std::string told_meaning(const std::string& text, const std::string& id, const Parameters& parameters);

/// Its id; the text itself where it is nobody's name.
std::string id_meant(const std::string& text);

/// That there is none of that id or name, and a near name of others' where one is.
std::string near_names(const Catalogue& catalogue, const std::string& text);

}  // namespace gemmlab::runner
