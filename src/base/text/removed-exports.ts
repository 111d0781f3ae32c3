import { removedExport } from './removed-error.js'

// What `svtrain-emulator` once exported: code that still uses it gets an error that says what to use now.

/** @internal */
export const ConductError = removedExport('ConductError')
/** @internal */
export const CoverageError = removedExport('CoverageError')
/** @internal */
export const mergeCoverage = removedExport('mergeCoverage')
