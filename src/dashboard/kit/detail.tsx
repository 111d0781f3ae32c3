import type { ComponentChildren, FunctionComponent } from 'preact'
import type { Entry } from '../../emulator/control/schemas/journal.js'
import { isMissing } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { CopyText } from '../parts/copy-button.js'
import { Loaded, Page } from '../parts/page.js'
import { linkTo } from '../parts/link.js'
import { Facts } from '../parts/facts.js'
import type { ListedPage } from '../routes.js'
import { BodyText } from './http-message.js'
import { Value, words } from './value.js'

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
  /** What draws fields that are not drawn as any object, text or list. */
  drawn?: Readonly<Partial<Record<keyof T, FunctionComponent<{ of: T }>>>>
}

/** Any page of one record: its facts, and its texts, objects and lists. */
export function OneRecord<T extends object>(props: {
  of: RecordPage<T>
  id: string
}): ComponentChildren {
  const { of: page, id } = props
  const { thing, list, title, without, About, Above } = page
  const loaded = useLoaded(() => page.load(id), id)
  useReloadOn(page.after, loaded.reload)
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
            <Sections of={record} page={page} />
          </Page>
        )}
      </Loaded>
      {isMissing(loaded.error) && (
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

type FieldOf<T> = [name: keyof T & string, value: T[keyof T & string]]

function shownFields<T extends object>({ of, without = [] }: RecordProps<T>): FieldOf<T>[] {
  return (Object.entries(of) as FieldOf<T>[]).filter(([name]) => !without.includes(name))
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

interface SectionsProps<T extends object> {
  of: T
  page: RecordPage<T>
}

/** The large fields of a record, in their order: texts and objects as they are, unless the page draws them itself. */
function Sections<T extends object>({ of, page }: SectionsProps<T>): ComponentChildren {
  const { without, names = {} } = page
  return shownFields({ of, without }).map(([name, value]) => {
    const title = names[name] ?? words(name)
    const Drawn: FunctionComponent<{ of: T }> | undefined = page.drawn?.[name]
    if (Drawn) return <Drawn key={name} of={of} />
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
        <CopyText title={title} text={text} region={`${title} as JSON`} />
      )}
    </section>
  )
}
