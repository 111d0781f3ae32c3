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
  /** The headings of objects and texts, if the name of the field is not enough. Such a text is never a fact. */
  names?: Readonly<Record<string, string>>
  /** Below the facts. */
  About?: FunctionComponent<{ of: T }>
  /** Above the long texts and the objects. */
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
                <RecordFacts of={record} without={[...without, ...longTexts(record, page)]} />
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

/** The texts and numbers of a record. Objects, and fields without a value, are left out. */
export function RecordFacts<T extends object>(props: RecordProps<T>): ComponentChildren {
  const facts = shownFields(props)
    .filter(([, value]) => !isStructure(value) && !isNothing(value))
    .map(([name, value]) => [words(name), <Value key={name} name={name} of={value} />])
  return <Facts of={Object.fromEntries(facts) as Record<string, ComponentChildren>} />
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Whether a value is an object, or a list that has one. */
function isStructure(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => typeof each === 'object' && each !== null)
  return typeof value === 'object' && value !== null
}

/** A text of more characters has a part of its own. */
const LONG = 200

/** The texts that have a part of their own: long ones, those of several lines, and those whose heading the page names. */
function longTexts<T extends object>(
  of: T,
  { without, names = {} }: RecordPage<T>,
): (keyof T & string)[] {
  return shownFields({ of, without }).flatMap(([name, value]) => {
    if (typeof value !== 'string' || value === '') return []
    return value.length > LONG || value.includes('\n') || Object.hasOwn(names, name) ? [name] : []
  })
}

interface SectionsProps<T extends object> {
  of: T
  page: RecordPage<T>
}

/** The long texts and the objects of a record, in their order and as they are, unless the page draws them itself. */
function Sections<T extends object>({ of, page }: SectionsProps<T>): ComponentChildren {
  const { without, names = {} } = page
  const long = longTexts(of, page)
  return shownFields({ of, without }).map(([name, value]) => {
    const title = names[name] ?? words(name)
    const Drawn: FunctionComponent<{ of: T }> | undefined = page.drawn?.[name]
    if (Drawn) return <Drawn key={name} of={of} />
    if (long.includes(name)) return <BodyText key={name} of={String(value)} title={title} />
    if (!isStructure(value)) return null
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
