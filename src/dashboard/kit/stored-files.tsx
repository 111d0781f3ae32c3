import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RunDetails } from '../../emulator/control/schemas/runs.js'
import { ActionButton } from '../parts/action-button.js'
import { save } from '../parts/export.js'
import { LiveTable, type Column } from './table.js'
import { column } from './value.js'

type StoredFile = RunDetails['files'][number]

interface StoredFilesProps {
  /** The record that has the files. */
  of: { path: string; files: readonly StoredFile[] }
  /** Loads a file of the record. Pass the same function each time. */
  load: (record: string, path: string) => Promise<unknown>
}

/** The files of a record, which the user can save. */
export function StoredFiles({ of: record, load }: StoredFilesProps): ComponentChildren {
  const { path: owner, files } = record
  const columns = useMemo((): readonly Column<StoredFile>[] => {
    const download = ({ path }: StoredFile): ComponentChildren => (
      <ActionButton
        class="plain"
        aria-label={`Download ${path}`}
        act={async () => save(path.split('/').at(-1)!, (await load(owner, path)) as Blob)}
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
  }, [owner, load])
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
