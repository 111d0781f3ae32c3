import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RunDetails } from '../../emulator/control/schemas/runs.js'
import { call } from '../data/control.js'
import { runLines } from '../data/run-lines.js'
import { useLoaded } from '../data/use-loaded.js'
import type { RecordPage } from '../kit/detail.js'
import { Charts } from '../kit/charts.js'
import { StoredFiles } from '../kit/stored-files.js'
import { State } from '../parts/state.js'
import { Name } from '../parts/facts.js'

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

/** The parameters of a run or an artifact, from its path: `team/verse/poem`. */
export function partsOf<Last extends 'run' | 'artifact'>(
  path: string,
  last: Last,
): Record<'entity' | 'project' | Last, string> {
  const [entity = '', project = '', name = ''] = path.split('/')
  return { entity, project, [last]: name } as Record<'entity' | 'project' | Last, string>
}

function RunCurves({ of: { path, rows } }: { of: RunDetails }): ComponentChildren {
  const { value } = useLoaded(() => {
    const sent = { params: partsOf(path, 'run'), query: { points: POINTS } }
    return call('GET /runs/{entity}/{project}/{run}/history', sent)
  }, `${path} ${rows}`)
  const lines = useMemo(() => runLines(value?.rows ?? []), [value])
  return value && <Charts of={lines} empty="Curves appear when the program logs numbers." />
}
