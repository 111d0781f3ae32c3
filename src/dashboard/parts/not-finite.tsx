import type { ComponentChildren } from 'preact'
import type { Curves } from './curves.js'
import type { NotFinite } from './line.js'
import { counted, figure } from './wording.js'

/** Says at which step each metric became NaN or infinite. */
export function NotFiniteWords({ curves }: { curves: Curves }): ComponentChildren {
  const broken = curves.names.flatMap((name) => {
    const runs = curves.notFinite(name).toSorted((a, b) => a.from - b.from)
    return runs.length > 0 ? [{ name, runs }] : []
  })
  if (broken.length === 0) return null
  return (
    <ul class="problem note" aria-label="Values that are not finite">
      {broken.map(({ name, runs }) => (
        <li key={name}>
          <b>{name}</b>{' '}
          {runs
            .slice(0, MOST_RUNS)
            .map((run) => words(run, curves.last))
            .join(', ')}
          {runs.length > MOST_RUNS &&
            `, and ${counted(runs.length - MOST_RUNS, 'more time', 'more times')}`}
        </li>
      ))}
    </ul>
  )
}

/** How many runs of values are named for each metric. */
const MOST_RUNS = 3

/** `NaN since step 3`, or `NaN at steps 3 to 5` if it is finite again. */
function words({ value, from, to }: NotFinite, last: number): string {
  if (to >= last) return `${value} since step ${figure(from)}`
  return from === to
    ? `${value} at step ${figure(from)}`
    : `${value} at steps ${figure(from)} to ${figure(to)}`
}
