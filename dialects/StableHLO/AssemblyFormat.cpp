//===- AssemblyFormat.cpp - directives of the pretty forms ----------------===//
//
// The pretty forms leave out types that follow from others; each directive
// falls back to a full function type where the short form would lose one.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/AssemblyFormat.h"

using namespace mlir;
using namespace partopt::stablehlo;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Assigns the inputs and the one result of \p function to \p types.
static ParseResult assignFunctionType(OpAsmParser &parser, SMLoc loc,
                                      FunctionType function,
                                      ArrayRef<Type *> types) {
  if (function.getNumInputs() + 1 != types.size() ||
      function.getNumResults() != 1)
    return parser.emitError(loc)
           << "expected a type with " << types.size() - 1
           << " operands and 1 result, but got " << function.getNumInputs()
           << " operands and " << function.getNumResults() << " results";
  for (auto [to, from] : llvm::zip(types.drop_back(), function.getInputs()))
    *to = from;
  *types.back() = function.getResult(0);
  return success();
}

ParseResult partopt::stablehlo::parseSameTypes(OpAsmParser &parser,
                                               ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, types);
  for (Type *each : types)
    *each = type;
  return success();
}

void partopt::stablehlo::printSameTypes(OpAsmPrinter &printer,
                                        TypeRange types) {
  if (llvm::all_equal(types)) {
    printer << types.back();
    return;
  }
  printer.printFunctionalType(types.drop_back(), types.take_back());
}

ParseResult partopt::stablehlo::parseComplexOpType(OpAsmParser &parser,
                                                   Type &lhs, Type &rhs,
                                                   Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, {&lhs, &rhs, &result});
  if (!isComplexTensor(type))
    return parser.emitError(loc)
           << "expected a tensor of complex values, but got " << type;
  auto tensor = cast<RankedTensorType>(type);
  result = type;
  lhs = rhs =
      tensor.clone(cast<ComplexType>(tensor.getElementType()).getElementType());
  return success();
}

void partopt::stablehlo::printComplexOpType(OpAsmPrinter &printer, Operation *,
                                            Type lhs, Type rhs, Type result) {
  auto tensor = cast<RankedTensorType>(result);
  Type part =
      tensor.clone(cast<ComplexType>(tensor.getElementType()).getElementType());
  if (lhs == part && rhs == part) {
    printer << result;
    return;
  }
  printer.printFunctionalType(TypeRange{lhs, rhs}, TypeRange{result});
}

ParseResult partopt::stablehlo::parseSelectOpType(OpAsmParser &parser,
                                                  Type &pred, Type &onTrue,
                                                  Type &onFalse, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function,
                              {&pred, &onTrue, &onFalse, &result});
  pred = type;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void partopt::stablehlo::printSelectOpType(OpAsmPrinter &printer, Operation *,
                                           Type pred, Type onTrue, Type onFalse,
                                           Type result) {
  if (onTrue == result && onFalse == result) {
    printer << pred << ", " << result;
    return;
  }
  printer.printFunctionalType(TypeRange{pred, onTrue, onFalse},
                              TypeRange{result});
}

ParseResult
partopt::stablehlo::parsePairwiseOpType(OpAsmParser &parser,
                                        SmallVectorImpl<Type> &operands,
                                        SmallVectorImpl<Type> &results) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(operands))
    return failure();
  if (operands.size() == 1) {
    if (auto function = dyn_cast<FunctionType>(operands.front())) {
      operands.assign(function.getInputs().begin(), function.getInputs().end());
      results.assign(function.getResults().begin(),
                     function.getResults().end());
      if (operands.size() != results.size())
        return parser.emitError(loc)
               << "expected as many results as operands, but got "
               << operands.size() << " operands and " << results.size()
               << " results";
      return success();
    }
  }
  results.assign(operands.begin(), operands.end());
  return success();
}

void partopt::stablehlo::printPairwiseOpType(OpAsmPrinter &printer, Operation *,
                                             TypeRange operands,
                                             TypeRange results) {
  if (operands == results) {
    llvm::interleaveComma(operands, printer);
    return;
  }
  printer.printFunctionalType(operands, results);
}

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

ParseResult partopt::stablehlo::parseExponentMantissa(OpAsmParser &parser,
                                                      IntegerAttr &exponent,
                                                      IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  int32_t exponentBits, mantissaBits;
  auto [exponentText, mantissaText] = keyword.split('m');
  if (!exponentText.consume_front("e") ||
      exponentText.getAsInteger(10, exponentBits) ||
      mantissaText.getAsInteger(10, mantissaBits))
    return parser.emitError(loc)
           << "expected a format like 'e8m7', but got '" << keyword << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void partopt::stablehlo::printExponentMantissa(OpAsmPrinter &printer,
                                               Operation *,
                                               IntegerAttr exponent,
                                               IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult partopt::stablehlo::parseOperandsThenComma(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      break;
    if (failed(*result) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
  // Without operands, JAX still prints the comma.
  if (operands.empty())
    (void)parser.parseOptionalComma();
  return success();
}

void partopt::stablehlo::printOperandsThenComma(OpAsmPrinter &printer,
                                                Operation *,
                                                OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  printer << ',';
}

ParseResult partopt::stablehlo::parseSliceRanges(OpAsmParser &parser,
                                                 DenseI64ArrayAttr &starts,
                                                 DenseI64ArrayAttr &limits,
                                                 DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(stride.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}

void partopt::stablehlo::printSliceRanges(OpAsmPrinter &printer, Operation *,
                                          ArrayRef<int64_t> starts,
                                          ArrayRef<int64_t> limits,
                                          ArrayRef<int64_t> strides) {
  printer << '[';
  llvm::interleaveComma(llvm::zip_first(starts, limits, strides), printer,
                        [&](auto range) {
                          auto [start, limit, stride] = range;
                          printer << start << ':' << limit;
                          if (stride != 1)
                            printer << ':' << stride;
                        });
  printer << ']';
}

static ParseResult parseDims(AsmParser &parser,
                             SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(dims.emplace_back());
  });
}

static void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer);
  printer << ']';
}

ParseResult
partopt::stablehlo::parseDotDimensionNumbers(OpAsmParser &parser,
                                             DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  auto parsePair = [&](SmallVectorImpl<int64_t> &lhs,
                       SmallVectorImpl<int64_t> &rhs) -> ParseResult {
    return failure(parser.parseEqual() || parseDims(parser, lhs) ||
                   parser.parseKeyword("x") || parseDims(parser, rhs));
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parsePair(lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parsePair(lhsContracting, rhsContracting))
    return failure();
  numbers =
      DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching,
                                   rhsBatching, lhsContracting, rhsContracting);
  return success();
}

void partopt::stablehlo::printDotDimensionNumbers(
    OpAsmPrinter &printer, Operation *, DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() ||
      !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDims(printer, numbers.getLhsBatchingDimensions());
    printer << " x ";
    printDims(printer, numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDims(printer, numbers.getLhsContractingDimensions());
  printer << " x ";
  printDims(printer, numbers.getRhsContractingDimensions());
}

ParseResult partopt::stablehlo::parsePrecisionConfigAndAlgorithm(
    OpAsmParser &parser, ArrayAttr &precision, DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return failure();
    if (keyword == "precision" && !precision) {
      SmallVector<Attribute> values;
      auto parseOne = [&]() -> ParseResult {
        PrecisionAttr value;
        if (parser.parseCustomAttributeWithFallback(value))
          return failure();
        values.push_back(value);
        return success();
      };
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         parseOne))
        return failure();
      precision = parser.getBuilder().getArrayAttr(values);
    } else if (keyword == "algorithm" && !algorithm) {
      if (parser.parseCustomAttributeWithFallback(algorithm))
        return failure();
    } else {
      return parser.emitError(loc)
             << "expected 'precision' or 'algorithm' once, but got '" << keyword
             << "'";
    }
  }
  return success();
}

void partopt::stablehlo::printPrecisionConfigAndAlgorithm(
    OpAsmPrinter &printer, Operation *, ArrayAttr precision,
    DotAlgorithmAttr algorithm) {
  if (precision) {
    printer << ", precision = [";
    llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer,
                          [&](PrecisionAttr value) {
                            printer << stringifyPrecision(value.getValue());
                          });
    printer << ']';
  }
  if (algorithm) {
    printer << ", algorithm = ";
    printer.printStrippedAttrOrType(algorithm);
  }
}

ParseResult partopt::stablehlo::parseCustomCallTarget(OpAsmParser &parser,
                                                      StringAttr &target) {
  return parser.parseSymbolName(target);
}

void partopt::stablehlo::printCustomCallTarget(OpAsmPrinter &printer,
                                               Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}
