import { useMemo } from 'preact/hooks'
import type { ListedRun } from '../../emulator/control/schemas/runs.js'
import type { Line } from '../kit/line.js'
import { call } from './control.js'
import { partsOf } from './platform-path.js'
import { runLines } from './run-lines.js'
import { useLoaded } from './use-loaded.js'

/** The curves of a run, or that of one metric. They are read again when the run has more rows. */
export function useRunLines(
  { path, rows }: Pick<ListedRun, 'path' | 'rows'>,
  query: { points: number; metric?: string },
): { lines: readonly Line[] | undefined; error: Error | undefined } {
  const { value, error } = useLoaded(
    () => {
      const params = partsOf(path, 'run')
      return call('GET /runs/{entity}/{project}/{run}/history', { params, query })
    },
    `${path} ${query.metric}`,
    rows,
  )
  return { lines: useMemo(() => value && runLines(value.rows), [value]), error }
}
