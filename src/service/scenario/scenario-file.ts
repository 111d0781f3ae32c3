import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { RECORDING_FILE, scenarioOf } from '../../base/text/evidence.js'
import { decodeWhole } from '../contract/pydantic/text-encoding.js'
import type { Scenario } from './scenario.js'
import { namesFile } from './names-file.js'
import { ScenarioError } from './scenario-error.js'
import { checked, notYet, parse, refuse, type Source } from './scenario-yaml.js'
import { checkTokenizerFolder, tokenizerPaths } from './tokenizer-folder.js'
import { whyUnreadable } from './why-unreadable.js'

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
  const reading = readFollowing(resolve(path), { children: [], readFrom, isNow: false })
  let step = reading.next()
  while (!step.done) step = reading.next(await step.value)
  return step.value
}

/**
 * Reads a scenario from a YAML or JSON file at once, for code that cannot wait. The caller checks its tokenizers.
 *
 * @param path - A path, absolute or relative to the working directory, or the URL of a file.
 * @throws {ScenarioError} When a file is not valid, or is a module, which takes time to load.
 */
export function readScenarioFileNow(path: string): Scenario {
  const step = readFollowing(resolve(pathIn(path)), {
    children: [],
    readFrom: () => {},
    isNow: true,
  }).next()
  if (!step.done) throw new Error(`Failed to read the scenario ${path}: a part takes time to load.`)
  return step.value
}

/** The path of a file that is named by its path or its URL. */
function pathIn(written: string): string {
  if (!written.startsWith('file:')) return written
  try {
    return fileURLToPath(written)
  } catch (error) {
    throw new ScenarioError(
      `Failed to read the scenario ${written}: ${(error as Error).message}. Use the URL of a file on this machine, such as new URL('mine.yaml', import.meta.url).href.`,
    )
  }
}

interface Following {
  /** The files that were read before. Each extends the next one. */
  children: readonly string[]
  readFrom: (path: string) => void
  /** Whether it may yield nothing that takes time. */
  isNow: boolean
}

/** Reads a file and those that it extends. It yields what takes time, and continues with its result. */
function* readFollowing(
  path: string,
  following: Following,
): Generator<Promise<unknown>, Scenario, unknown> {
  const { children, readFrom, isNow } = following
  const label = relative('', path) || path
  assertReadable(path, label)
  readFrom(path)
  const isModule = /\.[cm]?[jt]s$/.test(path)
  if (isModule && isNow) {
    throw new ScenarioError(
      `The scenario ${label} is a module, which takes time to load. Load it first: scenario: await loadScenario(${JSON.stringify(label)}).`,
    )
  }
  const read = isModule
    ? ((yield readModule(path, label)) as Source)
    : parse(readText(path, label), label)
  const { source, tokenizers } = withTokenizerPaths(read, dirname(path))
  if (!isNow) yield checkTokenizers(source, tokenizers, readFrom)
  const { extends: parent } = Object(source.input) as { extends?: unknown }
  if (typeof parent !== 'string' || !namesFile(parent)) return checked(source)
  const parentPath = resolve(dirname(path), parent)
  if (parentPath === path || children.includes(parentPath)) {
    return refuse(source, [{ path: ['extends'], onKey: false, place: 'extends', message: CYCLE }])
  }
  const next = { ...following, children: [...children, path] }
  return checked(source, yield* readFollowing(parentPath, next))
}

/**
 * Makes the paths of tokenizers absolute: they are relative to the folder of the file that names them. Returns them by the
 * index of their model, too.
 */
function withTokenizerPaths(source: Source, base: string) {
  const { base_models: given } = Object(source.input) as { base_models?: unknown }
  const tokenizers = new Map<number, string>()
  if (!Array.isArray(given)) return { source, tokenizers }
  const models = given.map((each: unknown, index): unknown => {
    const { tokenizer } = Object(each) as { tokenizer?: unknown }
    if (typeof tokenizer !== 'string' || tokenizer === '') return each
    tokenizers.set(index, resolve(base, tokenizer))
    return { ...(each as object), tokenizer: tokenizers.get(index) }
  })
  const input = { ...(source.input as object), base_models: models }
  return { source: { ...source, input }, tokenizers }
}

/** @throws {ScenarioError} When a folder cannot be used. */
async function checkTokenizers(
  source: Source,
  tokenizers: ReadonlyMap<number, string>,
  readFrom: Following['readFrom'],
): Promise<void> {
  const problems: Parameters<typeof refuse>[1][number][] = []
  for (const [index, folder] of tokenizers) {
    for (const file of tokenizerPaths(folder)) if (existsSync(file)) readFrom(file)
    const message = await checkTokenizerFolder(folder)
    if (message === undefined) continue
    const place = `base_models[${index}].tokenizer`
    problems.push({ path: ['base_models', index, 'tokenizer'], onKey: false, place, message })
  }
  if (problems.length > 0) refuse(source, problems)
}

const CYCLE = 'it extends itself, directly or through another scenario'

/** Reads the default export of a module. It may have functions. Its problems have no line numbers. */
async function readModule(path: string, label: string): Promise<Source> {
  const importModule = await moduleImport()
  let module: { default?: unknown }
  try {
    module = (await importModule(pathToFileURL(path).href)) as typeof module
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ScenarioError(`Failed to load the scenario ${label}: ${why}`)
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

function assertReadable(path: string, label: string): void {
  let isFolder: boolean
  try {
    accessSync(path, constants.R_OK)
    isFolder = statSync(path).isDirectory()
  } catch (error) {
    throw unreadable(label, error)
  }
  const has = (file: string): boolean => isFolder && existsSync(join(path, file))
  const toDo = scenarioOf(label)
  if (has(RECORDING_FILE)) throw notYet(label, { what: 'the folder of a recording', toDo })
  if (has('world.ndjson')) throw notYet(label, { what: 'a data folder', toDo })
  if (isFolder) throw new ScenarioError(`Failed to read the scenario ${label}: it is a folder.`)
}

function readText(path: string, label: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    // It disappeared after the check above.
    throw unreadable(label, error)
  }
  const text = decodeWhole(bytes, 'utf-8')
  if (text !== undefined) return text
  throw new ScenarioError(
    `Failed to read the scenario ${label}: it is not text in UTF-8. Save it in this encoding.`,
  )
}

function unreadable(label: string, error: unknown): ScenarioError {
  return new ScenarioError(`Failed to read the scenario ${label}: ${whyUnreadable(label, error)}`)
}
