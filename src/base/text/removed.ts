/**
 * Names that were removed, with what to do now. To use one is an error that says so.
 *
 * Each kind of names is a list of its own, so that a bundle has only the names that it can meet. A new name needs one
 * line here, and an export also one in `removed-exports.ts` and `index.ts`. `test/removed-names.test.ts` uses each name
 * as a user would.
 */
export type Names = Readonly<Record<string, string>>

const COVERAGE = 'read the trace, or the requests of a report: each names its operation.'

const NO_SUCH_WIRE =
  'the service has no such wire; leave it out, and send chats to /v1/chat/completions.'

/** Commands: `check`, or `sink check`. */
export const removedCommands: Names = {
  coverage: COVERAGE,
  drift: 'follow the changelog, and choose an older document of the service with --contract.',
  openapi:
    'read GET /_emulator/openapi/training.json or /_emulator/openapi/inference.json of an emulator.',
  preflight:
    'use exec --checks --bill --steps <number>, and explore --crash: see svtrain-emulator docs explore.',
  sign: 'use sink sign, with the same options.',
  skill:
    'copy skills/svtrain-emulator of the package: cp -r node_modules/svtrain-emulator/skills/svtrain-emulator .agents/skills/',
  verify: 'use sink verify, with the same options.',
}

/** Options of the command line: `--all` of each command, or `exec --all` of one. */
export const removedFlags: Names = {
  'exec --coverage': COVERAGE,
  '--extensions': NO_SUCH_WIRE,
}

/** Environment variables. Those that begin with `SVTRAIN_EMULATOR_` set an option of a command. */
export const removedVariables: Names = {
  SVTRAIN_COVERAGE: COVERAGE,
  SVTRAIN_EMULATOR_EXTENSIONS: NO_SUCH_WIRE,
}

/** Options of functions, after the name of the function: `createEmulator.all`, `createEmulator.webhooks[].all`. */
export const removedOptions: Names = {
  'createEmulator.extensions': NO_SUCH_WIRE,
}

/** Keys of scenarios, with the keys around them: `all`, `faults[].all`. */
export const removedKeys: Names = {
  extensions: NO_SUCH_WIRE,
}

/** Calls of the control API: `GET /_emulator/all`. */
export const removedCalls: Names = {
  'GET /_emulator/coverage': COVERAGE,
}

/** Exports of `svtrain-emulator`. */
export const removedExports: Names = {
  ConductError: 'use ClientCheckError.',
  CoverageError: COVERAGE,
  mergeCoverage: COVERAGE,
}

/** Methods and properties of an emulator. */
export const removedFromEmulator: Names = {
  assertSoundConduct: 'use assertClientChecks().',
  coverage: COVERAGE,
}

/** Methods of the client of the control API. */
export const removedFromClient: Names = {
  coverage: COVERAGE,
}

/** Properties of a request in the journal. */
export const removedFromRequests: Names = {
  look: 'use jobView.',
}

/**
 * Says that a name was removed, and what to do now. Undefined if there was none of that name.
 *
 * @param shown The name as the user wrote it, such as `--extensions`.
 */
export function removedText(names: Names, name: string, shown = name): string | undefined {
  return Object.hasOwn(names, name) ? `${shown} was removed in 0.3: ${names[name]}` : undefined
}
