#include "base/input/pickle.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

constexpr unsigned char proto = 0x80;

constexpr std::pair<unsigned char, std::string_view> refused_opcodes[]{
    {'c', "GLOBAL"},   {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},     {'b', "BUILD"},  {'i', "INST"},
    {'o', "OBJ"},      {0x81, "NEWOBJ"},       {0x92, "NEWOBJ_EX"}, {0x82, "EXT1"},  {0x83, "EXT2"},
    {0x84, "EXT4"},    {'P', "PERSID"},        {'Q', "BINPERSID"},  {0x95, "FRAME"}, {0x8C, "SHORT_BINUNICODE"},
    {0x94, "MEMOIZE"}, {'I', "INT"},           {'L', "LONG"},       {'F', "FLOAT"},  {'S', "STRING"},
    {'V', "UNICODE"},  {'T', "BINSTRING"},     {'p', "PUT"},        {'g', "GET"},    {'d', "DICT"},
    {'l', "LIST"},     {'0', "POP"},           {'1', "POP_MARK"},   {'2', "DUP"},    {'U', "SHORT_BINSTRING"},
    {'B', "BINBYTES"}, {'C', "SHORT_BINBYTES"}};

/// Values by number, since the memo lets several containers share one.
struct Value {
  enum class Kind { scalar, list, dict } kind = Kind::scalar;
  nlohmann::json scalar{};
  std::vector<std::uint32_t> items{};  ///< of a dict, keys and values in turn
};

class PickleReader {
 public:
  PickleReader(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  nlohmann::json read() {
    if (byte() != proto) refuse("does not begin like a pickle");
    if (const auto version = byte(); version != 2) refuse("protocol {} is not supported, only 2", version);
    for (;;) {
      at_ = next_;
      const auto opcode = byte();
      if (opcode == '.') break;
      if (!take_scalar(opcode) && !take_container(opcode) && !take_memo(opcode)) refuse_opcode(opcode);
    }
    if (!marks_.empty() || stack_.size() != 1) refuse("ends with {} values instead of one", stack_.size());
    return to_json(stack_.back(), 0);
  }

 private:
  using Index = std::uint32_t;

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw BadUsage(fmt::format("{}: byte {}: {}", file_, at_, fmt::format(text, std::forward<Args>(args)...)));
  }
  [[noreturn]] void refuse_opcode(unsigned char opcode) const {
    for (const auto& [code, name] : refused_opcodes) {
      if (code == opcode) refuse("the pickle contains {}, which plain data never needs", name);
    }
    refuse("opcode {:#x} is unknown", opcode);
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - next_) refuse("the file is cut off");
    const auto taken = bytes_.substr(next_, count);
    next_ += count;
    return taken;
  }
  unsigned char byte() { return static_cast<unsigned char>(take(1).front()); }
  std::uint64_t little_endian(std::size_t count) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const char each : take(count)) {
      value |= std::uint64_t{static_cast<unsigned char>(each)} << shift;
      shift += 8;
    }
    return value;
  }
  /// Two's complement of up to 8 bytes.
  std::int64_t long_integer() {
    const auto count = std::size_t{byte()};
    if (count > sizeof(std::int64_t)) refuse("an integer has {} bytes, more than 8", count);
    if (count == 0) return 0;
    const auto unused = static_cast<unsigned>(8 * (sizeof(std::int64_t) - count));
    return static_cast<std::int64_t>(little_endian(count) << unused) >> unused;
  }
  double binary_float() {
    std::uint64_t bits = 0;
    for (const char each : take(sizeof bits)) bits = bits << 8U | static_cast<unsigned char>(each);
    return std::bit_cast<double>(bits);
  }

  Index add(Value value) {
    values_.push_back(std::move(value));
    return static_cast<Index>(values_.size() - 1);
  }
  bool push(Value value) {
    stack_.push_back(add(std::move(value)));
    return true;
  }
  bool push_scalar(nlohmann::json scalar) { return push({.scalar = std::move(scalar)}); }

  bool take_scalar(unsigned char opcode) {
    switch (opcode) {
      case 'N':
        return push_scalar(nullptr);
      case 0x88:
        return push_scalar(true);
      case 0x89:
        return push_scalar(false);
      case 'K':
        return push_scalar(little_endian(1));
      case 'M':
        return push_scalar(little_endian(2));
      case 'J':
        return push_scalar(static_cast<std::int64_t>(static_cast<std::int32_t>(little_endian(4))));
      case 0x8A:
        return push_scalar(long_integer());
      case 'G':
        return push_scalar(binary_float());
      case 'X':
        return push_scalar(std::string(take(little_endian(4))));
      default:
        return false;
    }
  }

  /// Removes the last mark and all values above it, and returns the values.
  std::vector<Index> since_mark() {
    if (marks_.empty()) refuse("there is no mark");
    const auto from = marks_.back();
    marks_.pop_back();
    return pop_from(from);
  }
  std::vector<Index> pop_from(std::size_t from) {
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(from);
    std::vector<Index> popped(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return popped;
  }
  std::vector<Index> pop(std::size_t count) {
    const auto least = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < least + count) refuse("a value is missing");
    return pop_from(stack_.size() - count);
  }
  bool extend(Value::Kind kind, const std::vector<Index>& items) {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) refuse("a container is missing");
    auto& container = values_[stack_.back()];
    if (container.kind != kind || (kind == Value::Kind::dict && items.size() % 2 != 0))
      refuse("these values do not fit the container");
    container.items.insert(container.items.end(), items.begin(), items.end());
    return true;
  }

  bool take_container(unsigned char opcode) {
    switch (opcode) {
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case '}':
        return push({.kind = Value::Kind::dict});
      case ']':
      case ')':
        return push({.kind = Value::Kind::list});
      case 0x85:
      case 0x86:
      case 0x87:
        return push({.kind = Value::Kind::list, .items = pop(opcode - 0x84U)});
      case 't':
        return push({.kind = Value::Kind::list, .items = since_mark()});
      case 'a':
        return extend(Value::Kind::list, pop(1));
      case 'e':
        return extend(Value::Kind::list, since_mark());
      case 's':
        return extend(Value::Kind::dict, pop(2));
      case 'u':
        return extend(Value::Kind::dict, since_mark());
      default:
        return false;
    }
  }

  bool take_memo(unsigned char opcode) {
    const bool is_put = opcode == 'q' || opcode == 'r', is_long = opcode == 'r' || opcode == 'j';
    if (!is_put && opcode != 'h' && opcode != 'j') return false;
    const auto key = little_endian(is_long ? 4 : 1);
    if (is_put) {
      if (stack_.empty()) refuse("a value is missing");
      memo_[key] = stack_.back();
      return true;
    }
    const auto known = memo_.find(key);
    if (known == memo_.end()) refuse("memo {} is empty", key);
    stack_.push_back(known->second);
    return true;
  }

  /// Shared values are copied, so a small file may expand to a huge value, or to one that contains itself.
  nlohmann::json to_json(Index index, int depth) {
    constexpr int deepest = 100;
    const auto most_values = (std::size_t{1} << 16U) + 16 * bytes_.size();
    if (depth > deepest) refuse("values are nested more than {} deep", deepest);
    if (++written_ > most_values) refuse("it expands to more than {} values", most_values);
    const auto& value = values_[index];
    if (value.kind == Value::Kind::scalar) return value.scalar;
    if (value.kind == Value::Kind::list) {
      auto list = nlohmann::json::array();
      for (const auto each : value.items) list.push_back(to_json(each, depth + 1));
      return list;
    }
    auto object = nlohmann::json::object();
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
      const auto& key = values_[value.items[i]].scalar;
      if (!key.is_string()) refuse("a key is not text");
      object[key.get_ref<const std::string&>()] = to_json(value.items[i + 1], depth + 1);
    }
    return object;
  }

  const std::string& file_;
  std::string_view bytes_;
  std::size_t next_ = 0, at_ = 0, written_ = 0;
  std::vector<Value> values_;
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Index> memo_;
};

}  // namespace

bool is_pickle(std::string_view bytes) {
  return bytes.size() > 1 && static_cast<unsigned char>(bytes[0]) == proto && bytes[1] >= 2 && bytes[1] <= 5;
}

nlohmann::json parse_pickle(const std::string& file, std::string_view bytes) {
  return PickleReader(file, bytes).read();
}

}  // namespace ringmark
