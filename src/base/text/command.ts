declare global {
  /** Defined in the program that the Python package contains: see `.build/bundle.ts`. */
  var SVTRAIN_BY_PIP: true | undefined
}

/** Whether pip installed this program. Then there is neither `npx` nor a package in `node_modules`. */
export const isInstalledByPip = globalThis.SVTRAIN_BY_PIP === true

/** What a user types to start this program. */
export const COMMAND = isInstalledByPip ? 'svtrain-emulator' : 'npx svtrain-emulator'
