#!/usr/bin/env bash
# Run once, when Gradescope builds the image, with network: installs what gemmlab needs, builds the judge, and tries it on the
# assignment's own solution. Base image: Ubuntu 24.04.
set -euo pipefail
source=${GEMMLAB_SOURCE:-/autograder/source}
export DEBIAN_FRONTEND=noninteractive GEMMLAB_CUDA=OFF
chmod +x "$source/gemmlab/gemmlab"
"$source/gemmlab/gemmlab" assignment check "$source/assignment" --without-isolation
