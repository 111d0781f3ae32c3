import { removedExport } from './removed-error.js'
import { removedExports } from './removed.js'

// What `svtrain-emulator` once exported: code that still uses it gets an error that says what to use now.

/** @internal */
export const ConductError = removedExport(removedExports, 'ConductError')
