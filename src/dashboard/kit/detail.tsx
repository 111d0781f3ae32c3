import type { ComponentChildren, FunctionComponent } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Entry } from '../../emulator/control/schemas/journal.js'
import type { RunDetails } from '../../emulator/control/schemas/runs.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { ActionButton } from '../parts/action-button.js'
import { CopyText } from '../parts/copy-button.js'
import { save } from '../parts/export.js'
import { prettyJson } from '../parts/json-text.js'
import { Loaded, Page } from '../parts/page.js'
import { linkTo } from '../parts/link.js'
import { counted, Facts } from '../parts/wording.js'
import type { ListedPage } from '../routes.js'
import { LiveTable, type Column } from './table.js'
import { column, Value, words } from './value.js'

/** The page of one record, as data. */
export interface RecordPage<T extends object> {
  /** What it is about: `run`. */
  thing: string
  /** The page that has all of them. */
  list: ListedPage
  load: (id: string) => Promise<T>
  /** The record is loaded again after entries of these kinds. */
  after: readonly Entry['kind'][]
  title: (record: T) => ComponentChildren
  /** Fields that the page does not show, or elsewhere. */
  without: readonly (keyof T)[]
  /** The headings of large fields, if the name of the field is not enough. */
  names?: Readonly<Record<string, string>>
  /** Below the facts. */
  About?: FunctionComponent<{ of: T }>
  /** Above the large fields. */
  Above?: FunctionComponent<{ of: T; reload: () => void }>
  /** Loads a file of the record. */
  loadFile?: (id: string, path: string) => Promise<Blob>
}

/** Any page of one record: its facts, and its texts, objects and lists. */
export function OneRecord<T extends object>({
  of,
  id,
}: {
  of: RecordPage<T>
  id: string
}): ComponentChildren {
  const { thing, list, title, without, names, About, Above, loadFile } = of
  const loaded = useLoaded(() => of.load(id), id)
  useReloadOn(of.after, loaded.reload)
  const fileOf = useMemo(() => loadFile && ((path: string) => loadFile(id, path)), [id])
  return (
    <>
      <Loaded of={loaded} what={thing}>
        {(record) => (
          <Page
            title={title(record)}
            summary={
              <>
                <RecordFacts of={record} without={without} />
                {About && <About of={record} />}
              </>
            }
          >
            {Above && <Above of={record} reload={loaded.reload} />}
            <Sections of={record} loadFile={fileOf} {...{ without, names }} />
          </Page>
        )}
      </Loaded>
      {loaded.error && (
        <p>
          It may be deleted, or from before the last reset. {linkTo({ page: list }, `All ${list}`)}
        </p>
      )}
    </>
  )
}

interface RecordProps<T> {
  of: T
  without?: readonly (keyof T)[]
}

function shownFields<T extends object>({ of, without = [] }: RecordProps<T>): [string, unknown][] {
  return Object.entries(of).filter(([name]) => !without.includes(name as keyof T))
}

/** The short fields of a record. Those without a value are left out. */
export function RecordFacts<T extends object>(props: RecordProps<T>): ComponentChildren {
  const facts = shownFields(props)
    .filter(([, value]) => !isLarge(value) && !isNothing(value))
    .map(([name, value]) => [words(name), <Value key={name} name={name} of={value} />])
  return <Facts of={Object.fromEntries(facts) as Record<string, ComponentChildren>} />
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function isLarge(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => typeof each === 'object')
  if (typeof value === 'string') return value.length > LONG || /[\n{]/.test(value)
  return typeof value === 'object' && value !== null
}

/** A text of more characters has a part of its own. */
const LONG = 200

interface SectionsProps<T> extends RecordProps<T> {
  names?: Readonly<Record<string, string>> | undefined
  loadFile?: ((path: string) => Promise<Blob>) | undefined
}

/** The large fields of a record: an object and a text as they are, a list of records as a table. */
function Sections<T extends object>(props: SectionsProps<T>): ComponentChildren {
  const { names = {}, loadFile } = props
  return shownFields(props).map(([name, value]) => {
    const title = names[name] ?? words(name)
    if (name === 'files') return <Files key={name} of={value as StoredFile[]} load={loadFile!} />
    if (name === 'headers') return <HeaderList key={name} of={value as Record<string, string>} />
    if (!isLarge(value)) return null
    if (typeof value === 'string') return <BodyText key={name} of={value} title={title} />
    return <Json key={name} title={title} of={value as object} />
  })
}

/** An object as JSON, with a heading. */
function Json({ title, of }: { title: string; of: object }): ComponentChildren {
  const text = JSON.stringify(of, undefined, 2)
  return (
    <section aria-label={title}>
      {Object.keys(of).length === 0 ? (
        <>
          <h2>{title}</h2>
          <p class="faint">Nothing was set.</p>
        </>
      ) : (
        <CopyText title={title} text={text} label={`${title} as JSON`} />
      )}
    </section>
  )
}

type StoredFile = RunDetails['files'][number]

interface FilesProps {
  of: readonly StoredFile[]
  load: (path: string) => Promise<Blob>
}

/** The files of a record, which the user can save. */
function Files({ of: files, load }: FilesProps): ComponentChildren {
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
      column('path', 'w-grow mono', 'File'),
      column('size'),
      column('digest?', 'w-base mono', 'MD5'),
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

/** A body: pretty if it is JSON, and as it was sent. A signature is over the bytes as they were sent. */
export function BodyText({ of: body, title }: { of: string; title: string }): ComponentChildren {
  const pretty = prettyJson(body)
  return (
    <>
      <CopyText title={title} text={body} />
      {pretty !== undefined && pretty !== body && (
        <>
          <h2>Body, indented</h2>
          <pre tabIndex={0}>{pretty}</pre>
        </>
      )}
    </>
  )
}

interface HeaderListProps {
  of: Readonly<Record<string, string>>
  /** Whether they are behind a line that says how many there are. */
  isFolded?: boolean
}

/** Headers, one per line. */
export function HeaderList({ of, isFolded = false }: HeaderListProps): ComponentChildren {
  const lines = Object.entries(of).map(([name, value]) => `${name}: ${value}`)
  if (lines.length === 0) return <p class="faint">No headers.</p>
  const list = <pre tabIndex={0}>{lines.join('\n')}</pre>
  if (isFolded) {
    return (
      <details>
        <summary>{counted(lines.length, 'header')}</summary>
        {list}
      </details>
    )
  }
  return (
    <>
      <h2>Headers</h2>
      {list}
    </>
  )
}
