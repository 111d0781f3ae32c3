import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RunDetails } from '../../emulator/control/schemas/runs.js'
import { ActionButton } from '../parts/action-button.js'
import { save } from '../parts/export.js'
import { LiveTable, type Column } from './table.js'
import { column } from './value.js'

type StoredFile = RunDetails['files'][number]

interface StoredFilesProps {
  of: readonly StoredFile[]
  load: (path: string) => Promise<Blob>
}

/** The files of a record, which the user can save. */
export function StoredFiles({ of: files, load }: StoredFilesProps): ComponentChildren {
  const columns = useMemo((): readonly Column<StoredFile>[] => {
    const download = ({ path }: StoredFile): ComponentChildren => (
      <ActionButton
        class="plain"
        aria-label={`Download ${path}`}
        act={async () => save(path.split('/').at(-1)!, await load(path))}
      >
        Download
      </ActionButton>
    )
    return [
      column('path', { heading: 'File', look: 'w-grow mono' }),
      column('size'),
      column('digest', { heading: 'MD5', look: 'w-base mono', wide: true }),
      ['Save', 'w-name', download],
    ]
  }, [load])
  return (
    <LiveTable
      label="Files"
      columns={columns}
      rows={files}
      keyOf={({ path }) => path}
      empty={<p>It has no files.</p>}
      heading={files.length}
    />
  )
}
