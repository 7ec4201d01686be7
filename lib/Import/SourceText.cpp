// Reads model files and blanks or rewrites what MLIR 19 cannot parse in them.
//
// One scan walks the text from string literal to string literal and skips
// comments, so that nothing inside either is taken for syntax.

#include "partopt/Import/SourceText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"

#include <optional>
#include <utility>
#include <zlib.h>

using llvm::StringRef;

namespace partopt {
namespace {

constexpr StringRef kBytecodeMagic = "ML\xefR";
constexpr StringRef kGzipMagic = "\x1f\x8b";

// Element types that came after MLIR 19.
constexpr StringRef kNewerTypes[] = {"f8E3M4", "f8E8M0FNU", "f4E2M1FN",
                                     "f6E2M3FN", "f6E3M2FN"};

// Position behind the string literal that starts at `pos`; the end of the text
// if it is not closed.
size_t skipString(StringRef text, size_t pos) {
  for (++pos; pos < text.size(); ++pos) {
    if (text[pos] == '\\')
      ++pos;
    else if (text[pos] == '"')
      return pos + 1;
  }
  return text.size();
}

// Calls `code(begin, end)` for each stretch outside strings and comments, in
// order; `code` stretches after a string start right behind it.
template <typename Fn> void forEachCode(StringRef text, Fn code) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find_first_of("\"/", begin);
    while (end != StringRef::npos && text[end] == '/' &&
           !text.substr(end).starts_with("//"))
      end = text.find_first_of("\"/", end + 1);
    end = std::min(end, text.size());
    code(begin, end);
    if (end == text.size())
      return;
    begin = text[end] == '"' ? skipString(text, end) : text.find('\n', end);
    begin = std::min(begin, text.size());
  }
}

bool eatNumber(StringRef &rest) {
  size_t digits = rest.find_first_not_of("0123456789");
  digits = std::min(digits, rest.size());
  rest = rest.drop_front(digits);
  return digits > 0;
}

// Length of `:8:23` and of the range's end behind it in `rest`, which follows a
// string literal; a zero end if there is no range.
std::pair<size_t, size_t> matchRange(StringRef rest) {
  StringRef at = rest;
  if (!at.consume_front(":") || !eatNumber(at) || !at.consume_front(":") ||
      !eatNumber(at))
    return {0, 0};
  size_t start = rest.size() - at.size();
  at = at.ltrim(" \t");
  if (!at.consume_front("to"))
    return {start, 0};
  at = at.ltrim(" \t");
  eatNumber(at);
  if (!at.consume_front(":") || !eatNumber(at))
    return {start, 0};
  return {start, rest.size() - at.size() - start};
}

// `MLIR bytecode` of anything but partopt: what it is and what to do.
std::string foreignBytecode(StringRef data) {
  // Behind the magic stands the version, one byte in all versions so far.
  StringRef producer = data.substr(kBytecodeMagic.size() + 1);
  producer = producer.substr(0, producer.find('\0')).substr(0, 64);
  if (producer.starts_with(kBytecodeProducer))
    return "";
  std::string name = producer.str();
  for (char &c : name)
    if (!llvm::isPrint(c))
      c = '?';
  std::string what =
      producer.starts_with("StableHLO_")
          ? "a StableHLO portable artifact (VHLO bytecode) written by '"
          : "MLIR bytecode written by '";
  return "is " + what + name +
         "', which partopt cannot read; export the model as text: "
         "jax.jit(f).lower(...).as_text(debug_info=True), or "
         "jax.export.export(...)(...).mlir_module()";
}

// Unpacks all members of a gzip file.
bool gunzip(StringRef data, std::string &text) {
  z_stream stream = {};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
    return false;
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data()));
  stream.avail_in = data.size();
  std::string chunk(1 << 18, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef *>(chunk.data());
    stream.avail_out = chunk.size();
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(chunk.data(), chunk.size() - stream.avail_out);
    if (status == Z_STREAM_END && stream.avail_in > 0)
      status = inflateReset(&stream);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END;
}

// `LINE: message` for the first type that MLIR 19 lacks; empty if none.
std::string newerType(StringRef text) {
  for (StringRef type : kNewerTypes) {
    if (!text.contains(type))
      continue;
    std::string found;
    forEachCode(text, [&](size_t begin, size_t end) {
      StringRef code = text.slice(begin, end);
      for (size_t at = code.find(type); at != StringRef::npos && found.empty();
           at = code.find(type, at + 1)) {
        char before = at ? code[at - 1] : ' ';
        size_t after = at + type.size();
        if ((before == 'x' || before == '<') &&
            (after == code.size() || !llvm::isAlnum(code[after])))
          found = std::to_string(text.take_front(begin + at).count('\n') + 1) +
                  ": the element type " + type.str() + " is not supported";
      }
    });
    if (!found.empty())
      return found;
  }
  return "";
}

// The number of elements of `> : tensor<4x8xi1>`, which follows a string
// literal; nothing for any other type.
std::optional<uint64_t> matchBools(StringRef rest) {
  rest = rest.ltrim();
  if (!rest.consume_front(">"))
    return std::nullopt;
  rest = rest.ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  rest = rest.ltrim();
  if (!rest.consume_front("tensor<"))
    return std::nullopt;
  uint64_t count = 1;
  for (uint64_t size; !rest.starts_with("i1>"); count *= size)
    if (rest.consumeInteger(10, size) || !rest.consume_front("x"))
      return std::nullopt;
  return count;
}

// Packs the bytes of `0x0100…`, one per element, into bits; nothing unless
// there are as many as elements and all are 0 or 1.
std::optional<std::string> packBytes(StringRef digits, uint64_t count) {
  if (!digits.consume_front("0x") || digits.size() != 2 * count)
    return std::nullopt;
  std::vector<uint8_t> bits((count + 7) / 8);
  for (uint64_t i = 0; i < count; ++i) {
    StringRef byte = digits.substr(2 * i, 2);
    if (byte != "00" && byte != "01")
      return std::nullopt;
    bits[i / 8] |= (byte[1] - '0') << (i % 8);
  }
  return "0x" + llvm::toHex(bits);
}

} // namespace

void packBools(std::string &text) {
  size_t last = 0;
  forEachCode(text, [&](size_t begin, size_t end) {
    // What lies between two stretches is a string or a comment.
    StringRef literal = StringRef(text).slice(std::exchange(last, end), begin);
    if (!literal.starts_with("\"0x") || !literal.ends_with("\""))
      return;
    auto count = matchBools(StringRef(text).slice(begin, end));
    auto bits = count ? packBytes(literal.drop_front().drop_back(), *count)
                      : std::nullopt;
    if (!bits)
      return;
    std::string padded = "\"" + *bits + "\"";
    padded.resize(literal.size(), ' ');
    // Behind the scan, and as long as before.
    text.replace(begin - literal.size(), literal.size(), padded);
  });
}

std::string blankLocationRanges(StringRef text) {
  std::string result = text.str();
  forEachCode(text, [&](size_t begin, size_t end) {
    auto [start, length] = matchRange(text.slice(begin, end));
    std::fill_n(result.begin() + begin + start, length, ' ');
  });
  return result;
}

std::unique_ptr<llvm::MemoryBuffer>
prepareSource(StringRef data, StringRef name, std::string &error) {
  std::string unpacked;
  if (data.starts_with(kGzipMagic)) {
    if (!gunzip(data, unpacked)) {
      error = "'" + name.str() + "' is a damaged or truncated gzip file";
      return nullptr;
    }
    data = unpacked;
  }
  if (data.starts_with(kBytecodeMagic)) {
    std::string why = foreignBytecode(data);
    if (why.empty())
      return llvm::MemoryBuffer::getMemBufferCopy(data, name);
    error = "'" + name.str() + "' " + why;
    return nullptr;
  }
  if (std::string why = newerType(data); !why.empty()) {
    error = name.str() + ":" + why;
    return nullptr;
  }
  std::string text = blankLocationRanges(data);
  packBools(text);
  return llvm::MemoryBuffer::getMemBufferCopy(text, name);
}

std::unique_ptr<llvm::MemoryBuffer> readSource(StringRef path,
                                               std::string &error) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file) {
    error = "cannot read '" + path.str() + "': " + file.getError().message();
    return nullptr;
  }
  return prepareSource((*file)->getBuffer(), path == "-" ? "<stdin>" : path,
                       error);
}

} // namespace partopt
