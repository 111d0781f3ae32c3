import { didYouMean } from '../../../base/text/nearest.js'
import { UsageError } from '../../usage-error.js'
import { DRAWN } from './command-defaults.js'

/** @throws {UsageError} When a name of `--only` or `--skip` is unknown. */
export function assertNames(
  chosen: Readonly<Record<'only' | 'skip', readonly string[] | undefined>>,
  known: readonly string[],
): void {
  for (const [option, names = []] of Object.entries(chosen)) {
    for (const name of names) {
      if (known.includes(name)) continue
      const hint = didYouMean(name, known)
      const where = hint || ' List the scenarios with `svtrain-emulator scenarios list`.'
      const drawn = Object.entries(DRAWN).map(([each, runs]) => `${each} for the ${runs}`)
      throw new UsageError(
        `--${option} takes names of scenarios, or ${drawn.join(', ')}, not "${name}".${where}`,
      )
    }
  }
}
