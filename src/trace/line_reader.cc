#include "trace/line_reader.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace weir::trace {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

struct LineReader::File {
  gzFile handle = nullptr;
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (handle != nullptr) gzclose(handle);
  }
};

LineReader::LineReader(std::string path, std::unique_ptr<File> file) : path_(std::move(path)), file_(std::move(file)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::open(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    return std::unexpected(Error{.code = ErrorCode::io, .message = "is a directory", .file = path, .key = {}});
  }
  auto file = std::make_unique<File>();
  errno = 0;
  file->handle = gzopen(path.c_str(), "rb");
  if (file->handle == nullptr) {
    const ErrorCode why = errno == ENOENT ? ErrorCode::not_found : ErrorCode::io;
    const std::string message = errno != 0 ? std::strerror(errno) : "cannot be opened";
    return std::unexpected(Error{.code = why, .message = message, .file = path, .key = {}});
  }
  return LineReader(path, std::move(file));
}

std::unexpected<Error> LineReader::error(ErrorCode code, std::string message) const {
  return std::unexpected(
      Error{.code = code, .message = std::move(message), .file = path_, .line = line_ + 1, .column = 0, .key = {}});
}

Result<bool> LineReader::fill() {
  buffer_.erase(0, std::exchange(begin_, 0));
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kChunkBytes);
  const int got = gzread(file_->handle, buffer_.data() + kept, kChunkBytes);
  buffer_.resize(kept + static_cast<std::size_t>(got > 0 ? got : 0));
  int state = Z_OK;
  const char* message = gzerror(file_->handle, &state);
  if (got < 0 || (state != Z_OK && state != Z_STREAM_END)) {
    return error(ErrorCode::io, state == Z_BUF_ERROR ? "the compressed data end early" : std::string(message));
  }
  if (bytes_ == 0 && buffer_.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  bytes_ += got;
  if (bytes_ > kFileBytesMax) return error(ErrorCode::too_large, "the file is larger than 4 GiB");
  at_end_ = got == 0;
  return !at_end_;
}

Result<std::optional<std::string_view>> LineReader::next() {
  std::size_t searched = 0;
  std::size_t end = std::string::npos;
  while ((end = buffer_.find('\n', begin_ + searched)) == std::string::npos && !at_end_) {
    searched = buffer_.size() - begin_;
    if (searched > kLineBytesMax) break;
    if (const auto more = fill(); !more) return std::unexpected(more.error());
  }
  if (end == std::string::npos && at_end_ && begin_ == buffer_.size()) return std::nullopt;
  const std::size_t last = end == std::string::npos ? buffer_.size() : end;
  std::string_view line(buffer_.data() + begin_, last - begin_);
  if (line.size() > kLineBytesMax) return error(ErrorCode::too_large, "the line is longer than 64 KiB");
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != std::string_view::npos) return error(ErrorCode::bad_input, "the line holds a NUL byte");
  begin_ = end == std::string::npos ? buffer_.size() : end + 1;
  ++line_;
  return line;
}

}  // namespace weir::trace
