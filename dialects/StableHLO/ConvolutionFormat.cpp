//===- ConvolutionFormat.cpp - text of a convolution ----------------------===//
//
// Dimension numbers as three lists of letters and numbers, and the window as
// lists per spatial dimension.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/AssemblyFormat.h"

using namespace mlir;
using namespace partopt::stablehlo;

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

namespace {
/// Where the letters and the spatial dimensions of one tensor stand.
struct DimensionList {
  int64_t first = -1;
  int64_t second = -1;
  SmallVector<int64_t> spatial;
};
} // namespace

/// `[b, 0, 1, f]`: \p letters name the two dimensions that are not spatial.
static ParseResult parseDimensionList(AsmParser &parser, StringRef firstLetter,
                                      StringRef secondLetter,
                                      DimensionList &list) {
  int64_t position = 0;
  SmallVector<std::pair<int64_t, int64_t>> spatial;
  SMLoc listLoc = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t number;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      if (failed(*isNumber))
        return failure();
      spatial.emplace_back(number, position++);
      return success();
    }
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    int64_t *place = letter == firstLetter    ? &list.first
                     : letter == secondLetter ? &list.second
                                              : nullptr;
    if (!place || *place != -1)
      return parser.emitError(loc)
             << "expected a number, '" << firstLetter << "' or '"
             << secondLetter << "' once, but got '" << letter << "'";
    *place = position++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  if (list.first == -1 || list.second == -1)
    return parser.emitError(listLoc)
           << "expected the dimensions '" << firstLetter << "' and '"
           << secondLetter << "' in the list";
  list.spatial.assign(spatial.size(), -1);
  for (auto [number, place] : spatial) {
    if (number < 0 || number >= static_cast<int64_t>(spatial.size()) ||
        list.spatial[number] != -1)
      return parser.emitError(listLoc)
             << "expected each of the " << spatial.size()
             << " spatial dimensions from 0 once, but got " << number;
    list.spatial[number] = place;
  }
  return success();
}

static void printDimensionList(AsmPrinter &printer, StringRef firstLetter,
                               int64_t first, StringRef secondLetter,
                               int64_t second, ArrayRef<int64_t> spatial) {
  printer << '[';
  llvm::interleaveComma(
      llvm::seq<int64_t>(0, spatial.size() + 2), printer, [&](int64_t place) {
        if (place == first)
          printer << firstLetter;
        else if (place == second)
          printer << secondLetter;
        else
          printer << llvm::find(spatial, place) - spatial.begin();
      });
  printer << ']';
}

ParseResult partopt::stablehlo::parseConvolutionDimensions(
    AsmParser &parser, ConvDimensionNumbersAttr &numbers) {
  DimensionList input, kernel, output;
  if (parseDimensionList(parser, "b", "f", input) || parser.parseKeyword("x") ||
      parseDimensionList(parser, "i", "o", kernel) || parser.parseArrow() ||
      parseDimensionList(parser, "b", "f", output))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial,
      kernel.first, kernel.second, kernel.spatial, output.first, output.second,
      output.spatial);
  return success();
}

void partopt::stablehlo::printConvolutionDimensions(
    AsmPrinter &printer, ConvDimensionNumbersAttr numbers) {
  printDimensionList(printer, "b", numbers.getInputBatchDimension(), "f",
                     numbers.getInputFeatureDimension(),
                     numbers.getInputSpatialDimensions());
  printer << 'x';
  printDimensionList(printer, "i", numbers.getKernelInputFeatureDimension(),
                     "o", numbers.getKernelOutputFeatureDimension(),
                     numbers.getKernelSpatialDimensions());
  printer << "->";
  printDimensionList(printer, "b", numbers.getOutputBatchDimension(), "f",
                     numbers.getOutputFeatureDimension(),
                     numbers.getOutputSpatialDimensions());
}

void partopt::stablehlo::printConvolutionDimensions(
    OpAsmPrinter &printer, Operation *, ConvDimensionNumbersAttr numbers) {
  printConvolutionDimensions(printer, numbers);
}

//===----------------------------------------------------------------------===//
// Window
//===----------------------------------------------------------------------===//

static ParseResult parseDims(AsmParser &parser, DenseI64ArrayAttr &attr) {
  SmallVector<int64_t> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(dims.emplace_back());
      }))
    return failure();
  attr = parser.getBuilder().getDenseI64ArrayAttr(dims);
  return success();
}

/// `[[1, 1], [0, 2]]`: low and high padding per spatial dimension.
static ParseResult parsePadding(AsmParser &parser, DenseIntElementsAttr &attr) {
  SmallVector<int64_t> padding;
  SMLoc loc = parser.getCurrentLocation();
  auto parsePair = [&]() -> ParseResult {
    size_t before = padding.size();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(padding.emplace_back());
        }))
      return failure();
    if (padding.size() - before != 2)
      return parser.emitError(loc)
             << "expected pairs of low and high padding, but got "
             << padding.size() - before << " values";
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type =
      RankedTensorType::get({static_cast<int64_t>(padding.size() / 2), 2},
                            parser.getBuilder().getI64Type());
  attr = DenseIntElementsAttr::get(type, padding);
  return success();
}

static ParseResult parseReversal(AsmParser &parser, DenseBoolArrayAttr &attr) {
  SmallVector<bool> reversal;
  auto parseOne = [&]() -> ParseResult {
    reversal.push_back(succeeded(parser.parseOptionalKeyword("true")));
    return reversal.back() ? success() : parser.parseKeyword("false");
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  attr = parser.getBuilder().getDenseBoolArrayAttr(reversal);
  return success();
}

ParseResult partopt::stablehlo::parseWindowAttributes(
    OpAsmParser &parser, DenseI64ArrayAttr &strides,
    DenseIntElementsAttr &padding, DenseI64ArrayAttr &lhsDilation,
    DenseI64ArrayAttr &rhsDilation, DenseBoolArrayAttr &reversal) {
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return success();
    ParseResult parsed =
        parser.parseEqual()                    ? ParseResult(failure())
        : name == "stride" && !strides         ? parseDims(parser, strides)
        : name == "pad" && !padding            ? parsePadding(parser, padding)
        : name == "lhs_dilate" && !lhsDilation ? parseDims(parser, lhsDilation)
        : name == "rhs_dilate" && !rhsDilation ? parseDims(parser, rhsDilation)
        : name == "reverse" && !reversal
            ? parseReversal(parser, reversal)
            : parser.emitError(loc)
                  << "expected 'stride', 'pad', 'lhs_dilate', 'rhs_dilate' or "
                     "'reverse' once, but got '"
                  << name << "'";
    if (parsed)
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
  }
}

static void printPadding(OpAsmPrinter &printer, DenseIntElementsAttr padding) {
  auto values = padding.getValues<int64_t>();
  printer << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, padding.getNumElements() / 2),
                        printer, [&](int64_t i) {
                          printer << '[' << values[2 * i] << ", "
                                  << values[2 * i + 1] << ']';
                        });
  printer << ']';
}

void partopt::stablehlo::printWindowAttributes(
    OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides,
    DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
    DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  bool first = true;
  auto begin = [&](StringRef name) {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
  };
  auto printArray = [&](StringRef name, auto array) {
    if (!array)
      return;
    begin(name);
    printer << '[';
    llvm::interleaveComma(array.asArrayRef(), printer, [&](auto value) {
      if constexpr (std::is_same_v<decltype(value), bool>)
        printer << (value ? "true" : "false");
      else
        printer << value;
    });
    printer << ']';
  };
  printArray("stride", strides);
  if (padding) {
    begin("pad");
    printPadding(printer, padding);
  }
  printArray("lhs_dilate", lhsDilation);
  printArray("rhs_dilate", rhsDilation);
  printArray("reverse", reversal);
}
