// Result<T>: what can fail because of something outside (a user, a file, a
// network) returns one of these. "Does not fit" is no error: it is a Reason.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace weir {

enum class ErrorCode {
  bad_input,  // what was given cannot be used; `where` says which part
  not_found,
  too_large,  // over a documented bound
  io,         // the system refused: message carries its words
  conflict,
  unavailable,
};

// A sentence for people, and the place in their file it is about.
struct Error {
  ErrorCode code = ErrorCode::bad_input;
  std::string message;
  std::string file;
  int line = 0;     // 1-based; 0 = no place
  int column = 0;   // 1-based; 0 = no place
  std::string key;  // full path of the key, "teams.A.quota"

  // "pool.yaml:12:3: teams.A.qouta: unknown key; nearest is quota"
  [[nodiscard]] std::string text() const;
};

template <class T>
using Result = std::expected<T, Error>;

// Several problems at once, in file order: a user mends a file in one go.
template <class T>
using ResultAll = std::expected<T, std::vector<Error>>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{.code = code, .message = std::move(message), .file = {}, .key = {}});
}

}  // namespace weir
