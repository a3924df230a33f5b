# The libraries of which headers suffice: the system's where there is one that is new enough, else the sources at a pinned version.
# Nothing is fetched where find_package is content: apt's packages, conda's, or a folder in CMAKE_PREFIX_PATH or <name>_ROOT.
# Without a network a folder with the sources does, too: FETCHCONTENT_SOURCE_DIR_<NAME in capitals>=FOLDER, by -D or in the environment.
include(FetchContent)

# gemmlab_headers(NAME LEAST TARGET FOLDER URL SHA256): TARGET, as the package NAME defines it from version LEAST on, or with the
# archive's FOLDER. The archive's own CMake is left alone: there is none in the folder that SOURCE_SUBDIR names.
function(gemmlab_headers name least target folder url sha256)
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP FALSE SOURCE_SUBDIR headers-alone
                       FIND_PACKAGE_ARGS ${least} GLOBAL)
  string(TOUPPER FETCHCONTENT_SOURCE_DIR_${name} given)
  if(NOT ${given} AND DEFINED ENV{${given}})
    set(${given} $ENV{${given}})
  endif()
  FetchContent_MakeAvailable(${name})
  if(NOT TARGET ${target})
    string(TOLOWER ${name} fetched)
    message(STATUS "${name}: from ${${fetched}_SOURCE_DIR}")
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${${fetched}_SOURCE_DIR}/${folder})
  endif()
endfunction()

gemmlab_headers(nlohmann_json 3.9 nlohmann_json::nlohmann_json include
  https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
gemmlab_headers(fmt 8.1 fmt::fmt-header-only include
  https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
  1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
gemmlab_headers(CLI11 2.1 CLI11::CLI11 include
  https://github.com/CLIUtils/CLI11/archive/v2.4.2.tar.gz
  f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
gemmlab_headers(Eigen3 3.4 Eigen3::Eigen .
  https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
  8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72)
# Its headers alone, whatever a system's package would link: the program must run where the package is not installed.
find_path(GEMMLAB_TOML_INCLUDE toml++/toml.h)
if(NOT GEMMLAB_TOML_INCLUDE)
  gemmlab_headers(tomlplusplus 3.3 tomlplusplus::tomlplusplus include
    https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.4.0.tar.gz
    8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155)
  get_target_property(GEMMLAB_TOML_INCLUDE tomlplusplus::tomlplusplus INTERFACE_INCLUDE_DIRECTORIES)
endif()
add_library(gemmlab_toml INTERFACE)
add_library(gemmlab::toml ALIAS gemmlab_toml)
target_include_directories(gemmlab_toml SYSTEM INTERFACE ${GEMMLAB_TOML_INCLUDE})
target_compile_definitions(gemmlab_toml INTERFACE TOML_HEADER_ONLY=0)  # its code is in the one file that asks for it
