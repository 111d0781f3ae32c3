import process from 'node:process'
import type { Warning, WarningName } from '../../service/engine/warnings.js'

// Read when the module loads: Jest removes globals after a file of tests, and a port may stay open for longer.
const emitWarning = process.emitWarning.bind(process)

const shown = new Set<WarningName>()

/**
 * Shows a warning to who started this process: on stderr and once, because a runner may create an emulator for each of
 * many tests. `NODE_NO_WARNINGS=1` and `--disable-warning=SVTRAIN_...` turn it off, as for all warnings of Node.
 */
export function warnProcess({ name, text }: Warning): void {
  if (shown.has(name)) return
  shown.add(name)
  emitWarning(text, { type: 'EmulatorWarning', code: codeOf(name) })
}

/** The code of a warning for Node: `SVTRAIN_OPEN_PORTS`. */
export function codeOf(name: WarningName): string {
  return `SVTRAIN_${name.toUpperCase().replaceAll('-', '_')}`
}
