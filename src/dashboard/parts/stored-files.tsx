import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RunDetails } from '../../emulator/control/schemas.js'
import { ActionButton } from './action-button.js'
import { save } from './export.js'
import { LiveTable, type Column } from './live-table.js'
import { bytesText, figure } from './wording.js'

type StoredFile = RunDetails['files'][number]

interface StoredFilesProps {
  of: readonly StoredFile[]
  /** Loads the content of a file. Pass the same function each time. */
  load: (path: string) => Promise<Blob>
  /** Shown if there are no files. */
  empty: string
}

/** The files of a run or of an artifact, which the user can save. */
export function StoredFiles({ of: files, load, empty }: StoredFilesProps): ComponentChildren {
  const columns = useMemo(() => columnsOf(load), [load])
  return (
    <LiveTable
      label="Files"
      columns={columns}
      rows={files}
      keyOf={({ path }) => path}
      empty={<p>{empty}</p>}
    >
      <h2>
        Files <span class="count">{figure(files.length)}</span>
      </h2>
    </LiveTable>
  )
}

function columnsOf(load: StoredFilesProps['load']): readonly Column<StoredFile>[] {
  return [
    ['File', 'w-grow mono', ({ path }) => path, { sort: true }],
    ['Size', 'w-number', ({ size }) => bytesText(size), { sort: ({ size }) => size }],
    ['MD5', 'w-base mono clipped', ({ digest }) => digest, { wide: true }],
    [
      'Save',
      'w-name',
      ({ path }) => (
        <ActionButton
          class="plain"
          aria-label={`Download ${path}`}
          act={async () => save(path.split('/').at(-1)!, await load(path))}
        >
          Download
        </ActionButton>
      ),
    ],
  ]
}
