import type { ComponentChildren } from 'preact'
import type { RunDetails } from '../../emulator/control/schemas/runs.js'
import { call } from '../data/control.js'
import { partsOf } from '../data/platform-path.js'
import { useRunLines } from '../data/use-run-lines.js'
import type { RecordPage } from '../kit/detail.js'
import { Charts } from '../kit/charts.js'
import { StoredFiles } from '../kit/stored-files.js'
import { State } from '../parts/state.js'
import { Name } from '../parts/facts.js'
import { Problem } from '../parts/use-action.js'

/** The most points of a curve. */
const POINTS = 2000

/** One run: its curves, and what its program said about it. */
export const RUN: RecordPage<RunDetails> = {
  thing: 'run',
  list: 'runs',
  load: (id) => call('GET /runs/{entity}/{project}/{run}', { params: partsOf(id, 'run') }),
  after: ['request', 'note'],
  title: (run) => (
    <>
      <Name of={run.display_name} /> <State of={run.state} />
    </>
  ),
  without: ['entity', 'project', 'name', 'display_name', 'state', 'metrics'],
  Above: RunCurves,
  drawn: { files: ({ of }) => <StoredFiles of={of} load={loadFile} /> },
}

function loadFile(run: string, path: string): Promise<unknown> {
  const sent = { params: partsOf(run, 'run'), query: { path } }
  return call('GET /runs/{entity}/{project}/{run}/file', sent)
}

function RunCurves({ of: run }: { of: RunDetails }): ComponentChildren {
  const { lines, error } = useRunLines(run, { points: POINTS })
  return (
    <>
      <Problem of={error} />
      {lines && <Charts of={lines} empty="Curves appear when the program logs numbers." />}
    </>
  )
}
