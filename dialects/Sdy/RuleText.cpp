// Parser and printer of sharding rules: `([i, k],[k, j])->([i, j]) {i=8, ...}`.
//
// A dimension is one word, `ij` or `z_1z_2`, because the lexer makes one
// identifier of it; splitWord cuts it into factors.

#include "dialects/Sdy/Sdy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partopt::sdy {
namespace {

using Delimiter = AsmParser::Delimiter;

// Factors i to z are 0 to 17.
constexpr int64_t kLastLetter = 'z' - 'i';

// Appends the factors that `word` names; false if it is not made of factors.
bool splitWord(StringRef word, SmallVectorImpl<int64_t> &factors) {
  while (!word.empty()) {
    char letter = word.front();
    if (letter < 'i' || letter > 'z')
      return false;
    word = word.drop_front();
    int64_t factor = letter - 'i';
    if (word.consume_front("_")) {
      StringRef digits = word.take_while(llvm::isDigit);
      int64_t number;
      if (letter != 'z' || digits.empty() || digits.front() == '0' ||
          digits.getAsInteger(10, number))
        return false;
      word = word.drop_front(digits.size());
      factor = kLastLetter + number;
    }
    factors.push_back(factor);
  }
  return true;
}

ParseResult parseWord(AsmParser &parser, SmallVectorImpl<int64_t> &factors) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (!splitWord(word, factors))
    return parser.emitError(loc,
                            "expected factors i to z, z_1, z_2, ..., got '")
           << word << "'";
  return success();
}

// One factor: `k`.
ParseResult parseFactor(AsmParser &parser, int64_t &factor) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  if (parseWord(parser, factors))
    return failure();
  if (factors.size() != 1)
    return parser.emitError(loc, "expected one factor");
  factor = factors.front();
  return success();
}

ParseResult parseMappings(AsmParser &parser,
                          SmallVectorImpl<TensorMappingAttr> &mappings) {
  return parser.parseCommaSeparatedList(
      Delimiter::Paren,
      [&]() -> ParseResult {
        auto mapping = llvm::dyn_cast_or_null<TensorMappingAttr>(
            TensorMappingAttr::parse(parser, Type()));
        if (!mapping)
          return failure();
        mappings.push_back(mapping);
        return success();
      },
      " in sharding rule");
}

// ` {i=8, j=4}`: every factor in order.
ParseResult parseSizes(AsmParser &parser, SmallVectorImpl<int64_t> &sizes) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  if (succeeded(parser.parseOptionalRBrace()))
    return success();
  auto parseSize = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t factor, size;
    if (parseFactor(parser, factor))
      return failure();
    if (factor != static_cast<int64_t>(sizes.size()))
      return parser.emitError(loc, "factor sizes must be listed in order: "
                                   "expected ")
             << factorSymbol(sizes.size()) << ", got " << factorSymbol(factor);
    if (parser.parseEqual() || parser.parseInteger(size))
      return failure();
    sizes.push_back(size);
    return success();
  };
  if (parser.parseCommaSeparatedList(parseSize))
    return failure();
  return parser.parseRBrace();
}

// ` reduction={k, l}` if the word is next.
ParseResult parseKind(AsmParser &parser, StringRef kind,
                      SmallVectorImpl<int64_t> &factors) {
  if (failed(parser.parseOptionalKeyword(kind)))
    return success();
  if (parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(Delimiter::Braces, [&] {
    return parseFactor(parser, factors.emplace_back());
  });
}

void printKind(AsmPrinter &printer, StringRef kind, ArrayRef<int64_t> factors) {
  if (factors.empty())
    return;
  printer << ' ' << kind << "={";
  llvm::interleaveComma(factors, printer,
                        [&](int64_t f) { printer << factorSymbol(f); });
  printer << '}';
}

void printMappings(AsmPrinter &printer, ArrayRef<TensorMappingAttr> mappings) {
  printer << '(';
  llvm::interleaveComma(mappings, printer,
                        [&](TensorMappingAttr m) { m.print(printer); });
  printer << ')';
}

} // namespace

std::string factorSymbol(int64_t index) {
  if (index <= kLastLetter)
    return std::string(1, static_cast<char>('i' + index));
  return "z_" + std::to_string(index - kLastLetter);
}

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> factors;
  if (parseWord(parser, factors))
    return {};
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  for (int64_t factor : getFactorIndices())
    printer << factorSymbol(factor);
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimMappingAttr> dims;
  auto parseDim = [&]() -> ParseResult {
    auto dim = llvm::dyn_cast_or_null<DimMappingAttr>(
        DimMappingAttr::parse(parser, Type()));
    if (!dim)
      return failure();
    dims.push_back(dim);
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseDim,
                                     " in dimension mappings"))
    return {};
  return get(parser.getContext(), dims);
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << '[';
  llvm::interleaveComma(getDimMappings(), printer,
                        [&](DimMappingAttr dim) { dim.print(printer); });
  printer << ']';
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  bool isCustom = false;
  if (parser.parseLess() || parseMappings(parser, operands) ||
      parser.parseArrow() || parseMappings(parser, results) ||
      parseSizes(parser, sizes) || parseKind(parser, "reduction", reduction) ||
      parseKind(parser, "need_replication", replication) ||
      parseKind(parser, "permutation", permutation) ||
      parseKind(parser, "blocked_propagation", blocked))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("custom"))
      return {};
    isCustom = true;
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), sizes, operands, results, reduction,
             replication, permutation, blocked, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printMappings(printer, getOperandMappings());
  printer << "->";
  printMappings(printer, getResultMappings());
  if (!getFactorSizes().empty()) {
    printer << " {";
    llvm::interleaveComma(
        llvm::enumerate(getFactorSizes()), printer, [&](auto it) {
          printer << factorSymbol(it.index()) << '=' << it.value();
        });
    printer << '}';
  }
  printKind(printer, "reduction", getReductionFactors());
  printKind(printer, "need_replication", getNeedReplicationFactors());
  printKind(printer, "permutation", getPermutationFactors());
  printKind(printer, "blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustomRule())
    printer << ", custom";
  printer << '>';
}

} // namespace partopt::sdy
