import { access, constants, readFile, stat } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isNode, isPair, LineCounter, parseDocument, visit, type Document, type Pair } from 'yaml'
import { findProblems, type Path } from './check-scenario.js'
import type { Scenario } from './scenario.js'
import { namesFile } from './extend-scenario.js'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'

/**
 * Reads a scenario from a YAML, JSON, TypeScript or JavaScript file, and the files that it extends.
 *
 * @param readFrom - Called with the absolute path of each file.
 * @throws {ScenarioError} When a file is not valid. The error lists all problems with line and column.
 */
export async function readScenarioFile(
  path: string,
  readFrom: (path: string) => void = () => {},
): Promise<Scenario> {
  return readFollowing(resolve(path), { children: [], readFrom })
}

interface Following {
  /** The files that were read before. Each extends the next one. */
  children: readonly string[]
  readFrom: (path: string) => void
}

async function readFollowing(path: string, following: Following): Promise<Scenario> {
  const { children, readFrom } = following
  const label = relative('', path) || path
  await assertReadable(path, label)
  readFrom(path)
  const source = /\.[cm]?[jt]s$/.test(path)
    ? await readModule(path, label)
    : parse(await readFile(path, 'utf8'), label)
  const { extends: parent } = Object(source.input) as { extends?: unknown }
  if (typeof parent !== 'string' || !namesFile(parent)) return checked(source)
  const parentPath = resolve(dirname(path), parent)
  if (parentPath === path || children.includes(parentPath)) {
    return refuse(source, [{ path: ['extends'], onKey: false, place: 'extends', message: CYCLE }])
  }
  return checked(
    source,
    await readFollowing(parentPath, { children: [...children, path], readFrom }),
  )
}

const CYCLE = 'it extends itself, directly or through another scenario'

/** The content of a file, and the position of each part. */
interface Source {
  input: unknown
  label: string
  locate: (problem: { path: Path; onKey: boolean }) => Partial<ScenarioProblem>
}

function checked(source: Source, parent?: Scenario): Scenario {
  const result = findProblems(source.input, parent)
  return result.ok ? result.scenario : refuse(source, result.problems)
}

function refuse({ label, locate }: Source, found: readonly Found[]): never {
  const problems = found.map((problem): ScenarioProblem => {
    return { place: problem.place, message: problem.message, ...locate(problem) }
  })
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  throw new ScenarioError(`${label} cannot be used:`, problems)
}

type Found = { path: Path; onKey: boolean } & ScenarioProblem

/** Reads the default export of a module. It may have functions. Its problems have no line numbers. */
async function readModule(path: string, label: string): Promise<Source> {
  const importModule = await moduleImport()
  let module: { default?: unknown }
  try {
    module = (await importModule(pathToFileURL(path).href)) as typeof module
  } catch (error) {
    throw new ScenarioError(`Failed to load the scenario ${label}: ${(error as Error).message}`)
  }
  // The exports of a file that is compiled to CommonJS are the default export.
  const { default: exported } = module
  const commonJs = exported as { __esModule?: boolean; default?: unknown } | undefined
  const input = commonJs?.__esModule === true ? commonJs.default : exported
  if (input === undefined) {
    throw new ScenarioError(
      `${label} has no default export. It should be a scenario: defineScenario({ name: 'mine', … })`,
    )
  }
  return { input, label, locate: () => ({ file: label }) }
}

/**
 * Returns a function that imports a file in TypeScript or JavaScript. It is loaded only here, because tsx
 * contains a compiler. Without tsx, Node imports the file: from version 22.18, it reads TypeScript.
 */
async function moduleImport(): Promise<(url: string) => Promise<unknown>> {
  try {
    const { tsImport } = await import('tsx/esm/api')
    return (url) => tsImport(url, import.meta.url)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    imports++
    // The query makes Node read a changed file again.
    return (url) => import(`${url}?import=${imports}`)
  }
}

let imports = 0

async function assertReadable(path: string, label: string): Promise<void> {
  const failed = (why: string): ScenarioError => {
    return new ScenarioError(`Failed to read the scenario ${label}: ${why}.`)
  }
  try {
    await access(path, constants.R_OK)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw failed(reasons[code] ?? message)
  }
  if ((await stat(path)).isDirectory()) throw failed('it is a folder')
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'reading it is not permitted',
}

/**
 * Checks the text of a scenario, which can extend only built-in scenarios.
 *
 * @throws {ScenarioError} When it is not valid. The error lists all problems with line and column.
 */
export function parseScenario(text: string, file: string): Scenario {
  return checked(parse(text, file))
}

/** JSON is YAML, so one parser reads both. */
function parse(text: string, file: string): Source {
  const lines = new LineCounter()
  const place = (offset: number): { file: string; line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  // Editors do not count a byte order mark as a column.
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    logLevel: 'error',
  })
  const flaws = [...document.errors, ...document.warnings, ...unresolvedAliases(document)]
  if (flaws.length > 0) {
    throw new ScenarioError(
      `${file} is not valid YAML:`,
      // After a syntax error, later errors are usually only consequences.
      flaws.slice(0, MOST_FLAWS).map(({ code, message, pos }) => {
        return { place: '', message: flawMessages[code] ?? message, ...place(pos[0]) }
      }),
    )
  }
  const input = toPlain(document, file)
  if (input === null)
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: EMPTY, file, line: 1, column: 1 },
    ])
  return { input, label: file, locate: (problem) => place(offsetOf(document, problem)) }
}

const EMPTY = 'it is empty; a scenario has at least a name'

const MOST_FLAWS = 5

/** Replaces messages that the parser writes for programmers. */
const flawMessages: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'A second document begins here; a file holds one scenario',
}

interface Flaw {
  code: string
  message: string
  pos: readonly [number, number]
}

/** Finds aliases without an anchor. The parser reports them later, and without a position. */
function unresolvedAliases(document: Document): Flaw[] {
  const anchors = new Set<string>()
  const found: Flaw[] = []
  visit(document, {
    Value: (_key, { anchor }) => void (anchor !== undefined && anchors.add(anchor)),
    Alias(_key, { source, range }) {
      if (anchors.has(source)) return
      const [start = 0, end = 0] = range ?? []
      const message = `*${source} refers to no &${source} before it`
      found.push({ code: 'UNRESOLVED_ALIAS', message, pos: [start, end] })
    },
  })
  return found
}

function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch {
    // The only problem that is left: a short file whose aliases would fill the memory.
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: 'its aliases expand to too much: they repeat each other many times' },
    ])
  }
}

/** The offset of the wrong key or value, or of its parent if it is missing. */
function offsetOf(document: Document, { path, onKey }: { path: Path; onKey: boolean }): number {
  if (onKey) {
    const parent = document.getIn(path.slice(0, -1), true) as { items?: unknown[] } | undefined
    const pair = parent?.items?.find(
      (item): item is Pair => isPair(item) && String(item.key) === path.at(-1),
    )
    if (isNode(pair?.key) && pair.key.range) return pair.key.range[0]
  }
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
