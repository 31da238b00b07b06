// Lines of a text file, plain or gzip, one at a time and bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::trace {

inline constexpr std::size_t kLineBytesMax = std::size_t{64} * 1024;
inline constexpr std::int64_t kFileBytesMax = std::int64_t{4} << 30;  // unpacked: a gzip bomb stops here

class LineReader {
 public:
  [[nodiscard]] static Result<LineReader> open(const std::string& path);

  // The next line without its end (LF or CRLF), valid until the next call;
  // nothing after the last. A byte order mark at the start is skipped. Errors:
  // io (unreadable, cut short), too_large (line or file), bad_input (NUL byte).
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  [[nodiscard]] int line() const { return line_; }  // of the line last given, from 1

  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

 private:
  struct File;
  explicit LineReader(std::string path, std::unique_ptr<File> file);
  [[nodiscard]] std::unexpected<Error> error(ErrorCode code, std::string message) const;
  [[nodiscard]] Result<bool> fill();  // false at the end of the file

  std::string path_;
  std::unique_ptr<File> file_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what was not given yet
  std::int64_t bytes_ = 0;
  int line_ = 0;
  bool at_end_ = false;
};

}  // namespace weir::trace
