import type { ComponentChildren } from 'preact'
import { useCallback, useMemo } from 'preact/hooks'
import type { RunDetails } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { runLines } from '../data/run-lines.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { Charts } from '../parts/charts.js'
import { JsonSection } from '../parts/json-section.js'
import { Links } from '../parts/links.js'
import { Loaded, Page } from '../parts/page.js'
import { RunState } from '../parts/run-state.js'
import { StoredFiles } from '../parts/stored-files.js'
import { Facts, figure, Moment, Name } from '../parts/wording.js'
import { hrefOf } from '../routes.js'

/** The most points of a curve. */
const POINTS = 2000

/** One run: its curves, and what its program said about it. */
export function RunPage({ id }: { id: string }): ComponentChildren {
  const params = useMemo(() => paramsOf(id), [id])
  const load = useCallback((path: string) => loadFile(params, path), [params])
  const loaded = useLoaded(
    async () => ({
      run: await call('GET /runs/{entity}/{project}/{run}', { params }),
      rows: (
        await call('GET /runs/{entity}/{project}/{run}/history', {
          params,
          query: { points: POINTS },
        })
      ).rows,
    }),
    id,
  )
  useReloadOn(['request', 'note'], loaded.reload)
  const lines = useMemo(() => runLines(loaded.value?.rows ?? []), [loaded.value])
  return (
    <>
      <Loaded of={loaded} what="run">
        {({ run }) => (
          <Page title={<Title of={run} />} summary={<Summary of={run} />}>
            <Charts of={lines} empty="Curves appear when the program logs numbers." />
            <JsonSection title="Config" of={run.config} empty="The program set no config." />
            <JsonSection title="Summary" of={run.summary} empty="The run has no summary yet." />
            <StoredFiles of={run.files} load={load} empty="The program uploaded no files." />
          </Page>
        )}
      </Loaded>
      {loaded.error && (
        <p>
          It may be from before the last reset. <a href={hrefOf({ page: 'runs' })}>All runs</a>
        </p>
      )}
    </>
  )
}

type Params = Readonly<Record<'entity' | 'project' | 'run', string>>

function paramsOf(path: string): Params {
  const [entity = '', project = '', run = ''] = path.split('/')
  return { entity, project, run }
}

function loadFile(params: Params, path: string): Promise<Blob> {
  const file = call('GET /runs/{entity}/{project}/{run}/file', { params, query: { path } })
  return file as Promise<Blob>
}

function Title({ of: run }: { of: RunDetails }): ComponentChildren {
  return (
    <>
      <Name of={run.display_name} /> <RunState of={run.state} />
    </>
  )
}

function Summary({ of: run }: { of: RunDetails }): ComponentChildren {
  return (
    <>
      <Facts
        of={{
          Run: <code>{run.path}</code>,
          User: run.user,
          Created: <Moment at={run.created_at} />,
          'Last heard': <Moment at={run.updated_at} />,
          'Exit code': run.exit_code === null ? null : figure(run.exit_code),
          Rows: figure(run.rows),
          Group: run.group || null,
          'Job type': run.job_type || null,
          Tags: run.tags.join(', ') || null,
          Logged: <Links page="artifact" of={run.logged_artifacts} />,
          Used: <Links page="artifact" of={run.used_artifacts} />,
        }}
      />
      {run.notes && <p>{run.notes}</p>}
    </>
  )
}
