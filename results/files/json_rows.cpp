#include "results/files/json_rows.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <type_traits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/file_descriptor.hpp"
#include "results/schema/columns.hpp"

namespace ringmark {
namespace {

constexpr std::string_view file_end = "\n]\n";

JsonRow json_cell(const Column& column, const Record& record) {
  if (column.type == ColumnType::object) return JsonRow::parse(column.cell(record));
  return std::visit(
      [](const auto& value) -> JsonRow {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return {};
        else
          return value;
      },
      column.value(record));
}

std::string text_of(const JsonRow& row) {
  return row.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

class JsonSink final : public Sink {
 public:
  explicit JsonSink(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    struct stat status {};
    if (file_.get() < 0 || ::fstat(file_.get(), &status) != 0) fail();
    if (!S_ISREG(status.st_mode))
      throw std::invalid_argument(path + " is not a regular file: give --json another name");
    end_ = status.st_size;
    if (end_ == 0) return;
    std::string tail(file_end.size(), '\0'), head(2, '\0');
    end_ -= static_cast<off_t>(tail.size());
    const bool is_ours = end_ > 0 && ::pread(file_.get(), tail.data(), tail.size(), end_) > 0 && tail == file_end &&
                         ::pread(file_.get(), head.data(), head.size(), 0) > 0 && head == "[\n";
    if (!is_ours)
      throw std::invalid_argument(path + " exists and is not an array of rows; choose another name or move it away");
    is_empty_ = end_ == 1;
  }

  void begin(const RunContext&) override {
    if (end_ == 0) write("[", 1);
  }
  void add(const Record& record, const Samples&) override {
    const auto text = fmt::format("{}\n{}", is_empty_ ? "" : ",", text_of(json_row(record)));
    write(text, static_cast<off_t>(text.size()));
    is_empty_ = false;
  }
  void finish() override {}

 private:
  [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), "cannot write " + path_); }

  /// Overwrites the end of the file with the row and a new end. If that fails, the file stays as it was.
  void write(const std::string& text, off_t bytes) {
    const auto whole = text + std::string(file_end);
    std::string_view left = whole;
    for (off_t at = end_; !left.empty();) {
      const auto written = ::pwrite(file_.get(), left.data(), left.size(), at);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const int error = errno;
        if (::ftruncate(file_.get(), end_) == 0 && end_ > 0)
          static_cast<void>(::pwrite(file_.get(), file_end.data(), file_end.size(), end_) < 0);
        errno = error;
        fail();
      }
      left.remove_prefix(static_cast<std::size_t>(written));
      at += written;
    }
    end_ += bytes;
  }

  std::string path_;
  FileDescriptor file_;
  off_t end_ = 0;  ///< where the next row goes
  bool is_empty_ = true;
};

}  // namespace

JsonRow json_row(const Record& record) {
  auto row = JsonRow::object();
  for (const auto& columns : {contract_columns(), own_columns_of(record.schema)}) {
    for (const auto& column : columns) row[std::string(column.name)] = json_cell(column, record);
  }
  return row;
}

std::string json_rows(const std::vector<JsonRow>& rows) {
  std::string text = "[";
  for (const auto& row : rows) text += (text.size() == 1 ? "\n" : ",\n") + text_of(row);
  return text + std::string(file_end);
}

std::unique_ptr<Sink> make_json_sink(const std::string& path) { return std::make_unique<JsonSink>(path); }

}  // namespace ringmark
