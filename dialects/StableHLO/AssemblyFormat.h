//===- AssemblyFormat.h - directives of the pretty forms --------*- C++ -*-===//
//
// Parsers and printers named by `custom<...>` in the ops' assembly formats.
// What they print is byte for byte what JAX prints.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_ASSEMBLYFORMAT_H
#define PARTOPT_DIALECTS_STABLEHLO_ASSEMBLYFORMAT_H

#include "dialects/StableHLO/StableHLOBase.h"

namespace partopt::stablehlo {

/// One type for all operands and the result, or a function type where they
/// differ: `t` or `(t, ...) -> t`. The last of \p types is the result.
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser,
                                 llvm::ArrayRef<mlir::Type *> types);
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange types);

template <typename... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser &parser,
                                                 Types &...types) {
  return parseSameTypes(parser, {&types...});
}
template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer,
                                    mlir::Operation *, Types... types) {
  printSameTypes(printer, {mlir::Type(types)...});
}

/// `t`, the result's type, from which the real operands' type follows; or a
/// function type.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                     mlir::Type &rhs, mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::Type lhs, mlir::Type rhs, mlir::Type result);

/// `p, t`: the predicate's type and that of the rest; or a function type.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser, mlir::Type &pred,
                                    mlir::Type &onTrue, mlir::Type &onFalse,
                                    mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::Type pred, mlir::Type onTrue, mlir::Type onFalse,
                       mlir::Type result);

/// `t, ...`: operand i and result i have type i; or a function type.
mlir::ParseResult
parsePairwiseOpType(mlir::OpAsmParser &parser,
                    llvm::SmallVectorImpl<mlir::Type> &operands,
                    llvm::SmallVectorImpl<mlir::Type> &results);
void printPairwiseOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::TypeRange operands, mlir::TypeRange results);

/// `e8m7`.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser,
                                        mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);
void printExponentMantissa(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);

/// `%a, %b,` up to and including the comma before an attribute.
mlir::ParseResult parseOperandsThenComma(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printOperandsThenComma(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                            mlir::OperandRange operands);

/// `[0:8, 0:16:2]`: start, limit and, unless 1, stride.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser,
                                   mlir::DenseI64ArrayAttr &starts,
                                   mlir::DenseI64ArrayAttr &limits,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      llvm::ArrayRef<int64_t> starts,
                      llvm::ArrayRef<int64_t> limits,
                      llvm::ArrayRef<int64_t> strides);

/// `batching_dims = [0] x [1], contracting_dims = [2] x [0]`.
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser &parser,
                                           DotDimensionNumbersAttr &numbers);
void printDotDimensionNumbers(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                              DotDimensionNumbersAttr numbers);

/// `, precision = [DEFAULT, DEFAULT], algorithm = <...>`, both optional.
mlir::ParseResult parsePrecisionConfigAndAlgorithm(mlir::OpAsmParser &parser,
                                                   mlir::ArrayAttr &precision,
                                                   DotAlgorithmAttr &algorithm);
void printPrecisionConfigAndAlgorithm(mlir::OpAsmPrinter &printer,
                                      mlir::Operation *op,
                                      mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, also inside `#stablehlo.conv<>`.
mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser &parser,
                                             ConvDimensionNumbersAttr &numbers);
void printConvolutionDimensions(mlir::AsmPrinter &printer,
                                ConvDimensionNumbersAttr numbers);
void printConvolutionDimensions(mlir::OpAsmPrinter &printer,
                                mlir::Operation *op,
                                ConvDimensionNumbersAttr numbers);

/// `stride = [1, 1], pad = [[1, 1], [1, 1]], ...`, each part optional.
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser &parser,
                                        mlir::DenseI64ArrayAttr &strides,
                                        mlir::DenseIntElementsAttr &padding,
                                        mlir::DenseI64ArrayAttr &lhsDilation,
                                        mlir::DenseI64ArrayAttr &rhsDilation,
                                        mlir::DenseBoolArrayAttr &reversal);
void printWindowAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);

/// `@name`, the target of a custom call: a string, not a symbol's use.
mlir::ParseResult parseCustomCallTarget(mlir::OpAsmParser &parser,
                                        mlir::StringAttr &target);
void printCustomCallTarget(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::StringAttr target);

} // namespace partopt::stablehlo

#endif // PARTOPT_DIALECTS_STABLEHLO_ASSEMBLYFORMAT_H
