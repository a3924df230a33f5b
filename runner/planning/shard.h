#pragma once

// One plan, cut into parts that are measured apart, by several processes or on several machines.

#include <string>
#include <vector>

#include "runner/definition/definition.h"

namespace gemmlab::runner {

/// "3/16": the fourth of sixteen, counted from 0 as Slurm counts an array's tasks. Throws UsageError.
Shard shard_from(const std::string& text);

/// The shard of each of the definition's groups. A group at a shape stays whole, so that its rounds and its
/// twins do. It follows from the definition alone, the same on every machine: the longest group by a fixed
/// model of time goes first, each to the shard that has the least until then.
std::vector<int> shards_of(const Definition& definition, int count);

/// Keeps of a definition what this shard measures, and notes in Definition::part what it is a part of. Points
/// that the definition leaves out are dealt in turn. All shards together are the whole, each point once.
void keep_shard(Definition& definition, const Shard& shard);

/// "quick.jsonl", or "quick.shard-03-of-16.jsonl" for a shard: each has one writer.
std::string results_file_name(const Definition& definition);

/// The other files in `folder` that hold records of the definition: of other shards, or of all.
std::vector<std::string> other_results_files(const Definition& definition, const std::string& folder);

}  // namespace gemmlab::runner
