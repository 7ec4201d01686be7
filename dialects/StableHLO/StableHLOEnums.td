//===- StableHLOEnums.td - the enumerations of op attributes --------------===//
//
// Each is printed as `#stablehlo<name VALUE>` in a generic op and as `VALUE` in
// a pretty one. The numbers are those of the serialised form.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_ENUMS_TD
#define PARTOPT_STABLEHLO_ENUMS_TD

include "dialects/StableHLO/StableHLOBase.td"

class StableHLO_I32Enum<string name, string summary,
                        list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::partopt::stablehlo";
}

class StableHLO_EnumAttr<StableHLO_I32Enum info, string mnemonic>
    : EnumAttr<StableHLO_Dialect, info, mnemonic>;

def StableHLO_ComparisonDirection
    : StableHLO_I32Enum<"ComparisonDirection", "Which comparison", [
        I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
        I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
        I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction">;

def StableHLO_ComparisonType
    : StableHLO_I32Enum<"ComparisonType", "The order that is compared in", [
        I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
        I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
        I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type">;

def StableHLO_Precision
    : StableHLO_I32Enum<"Precision", "Precision of one operand", [
        I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
        I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr
    : StableHLO_EnumAttr<StableHLO_Precision, "precision">;

def StableHLO_FftType
    : StableHLO_I32Enum<"FftType", "Which Fourier transform", [
        I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
        I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type">;

def StableHLO_Transpose
    : StableHLO_I32Enum<"Transpose", "Form of a matrix operand", [
        I32EnumAttrCase<"TRANSPOSE_INVALID", 0>,
        I32EnumAttrCase<"NO_TRANSPOSE", 1>, I32EnumAttrCase<"TRANSPOSE", 2>,
        I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHLO_TransposeAttr
    : StableHLO_EnumAttr<StableHLO_Transpose, "transpose">;

def StableHLO_RngDistribution
    : StableHLO_I32Enum<"RngDistribution", "Distribution of random values", [
        I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution">;

def StableHLO_RngAlgorithm
    : StableHLO_I32Enum<"RngAlgorithm", "Generator of random bits", [
        I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
        I32EnumAttrCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr
    : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm">;

def StableHLO_ResultAccuracyMode
    : StableHLO_I32Enum<"ResultAccuracyMode", "How exact a result must be", [
        I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
        I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : StableHLO_EnumAttr<StableHLO_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

// Printed as a plain `2 : i32`.
def StableHLO_CustomCallApiVersionAttr
    : I32EnumAttr<"CustomCallApiVersion", "Calling convention of a custom call", [
        I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
        I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
        I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
        I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
        I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::partopt::stablehlo";
}

#endif // PARTOPT_STABLEHLO_ENUMS_TD
