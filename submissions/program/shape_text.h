#pragma once

// Reads shapes as teachers and students write them.

#include <string>

#include "operations/gemm/shape.h"
#include "runner/definition/toml_reader.h"

namespace gemmlab::submissions {

/// A whole number from 1 to `most`, and nothing else; 0 for any other text.
std::int64_t whole_number(const std::string& text, std::int64_t most);

/// "8192x6144x4096" is rows x inner x columns, solve's M x N x K.
/// `where` and `key` are for the message of the runner::UsageError that any other text causes.
Shape read_shape(const runner::TomlReader& reader, const toml::node& where, const std::string& key,
                 const std::string& text);

}  // namespace gemmlab::submissions
