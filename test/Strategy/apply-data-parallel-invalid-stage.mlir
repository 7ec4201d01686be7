// RUN: partopt-opt %s --partopt-apply-data-parallel="zero-stage=4" -verify-diagnostics

// expected-error@below {{zero-stage is 0 to 3, not 4}}
module {
}
