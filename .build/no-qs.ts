/**
 * Stands in for `qs`, which Express loads for its extended query parser. A port uses none of Express's
 * parsers: it passes on the raw query.
 */
export const parse = undefined
export const stringify = undefined
