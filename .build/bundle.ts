/**
 * Bundles the package into a folder. Code that every start needs is in few files, because many small files
 * take longer to load. Code that only some starts need is loaded later.
 */
import { cp, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { rolldown, type ChunkingContext, type Plugin } from 'rolldown'
import { buildDashboard } from './dashboard.js'
import { builtins, neededLater, recordTables, servedTypes } from './load-later.js'
import { licensesOf } from './licenses.js'
import { root } from './stamp.js'
import { operationNames } from '../src/service/contract/operation-names.js'
import { editorSchema } from '../src/service/scenario/editor-schema.js'

const COMMAND = 'src/cli/main.ts'

/** What explorations start programs in Python with. The command copies it. */
const PYTHON_START = 'src/cli/tools/explore/python-start'

/** The programs of the package. */
const ENTRIES: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  browser: 'src/browser.ts',
  cli: COMMAND,
  client: 'src/client.ts',
  msw: 'src/msw.ts',
  vitest: 'src/vitest.ts',
  jest: 'src/jest.ts',
  assert: 'src/assert.ts',
  explore: 'src/explore.ts',
  webhooks: 'src/webhooks.ts',
}

/**
 * Modules that the command loads later, each with all that it imports. What it has loaded by then does not count, so
 * that it stays in few files.
 */
const LOADED_BY_COMMAND: Readonly<Record<string, string>> = {
  control: 'src/compose/control.ts',
  'scenario-file': 'src/service/scenario/scenario-file.ts',
  'check-scenario': 'src/service/scenario/check-scenario.ts',
  'scenario-text': 'src/service/scenario/scenario-text.ts',
  'scenario-yaml': 'src/service/scenario/scenario-yaml.ts',
  'scenario-json-schema': 'src/service/scenario/scenario-json-schema.ts',
}

/**
 * The same for what an emulator loads later, in browsers too. What every emulator has loaded by then does not
 * count, so that it stays in few files.
 */
const LOADED_BY_EMULATORS: Readonly<Record<string, string>> = {
  'explore-stepped': 'src/tools/explore/stepped.ts',
  'explore-report': 'src/tools/explore/report.ts',
  'mcp-endpoint': 'src/tools/mcp/endpoint.ts',
  'platform-graphql': 'src/service/api/platform/execute.ts',
  reporter: 'src/tools/report/reporter.ts',
}

// msw and vitest must be the user's own: handlers of one msw do not work in a server of another one, and
// tests of one vitest do not work in a run of another one.
const NOT_BUNDLED = ['@faker-js/faker', 'get-port', 'tsx', 'undici', 'msw', 'vitest']

/** Only yargs imports it by this name. */
const REPLACED_BUILTIN = 'assert'

/**
 * Express, cors and cross-spawn are CommonJS and `require` parts of Node. Each becomes a file of its own, loaded by
 * `require`: an `import` would first search its text for exports, which takes longer than running it.
 */
const COMMONJS = ['express', 'cors', 'cross-spawn']

const byRequire: Plugin = {
  name: 'by-require',
  resolveId: (specifier) => (COMMONJS.includes(specifier) ? `by-require:${specifier}` : undefined),
  load: (id) =>
    id.startsWith('by-require:')
      ? `import { createRequire } from 'node:module'
        export default createRequire(import.meta.url)('./${id.slice('by-require:'.length)}.cjs')`
      : undefined,
}

/**
 * Writes the table of the tokenizer as one text instead of 100,000. The package is 20 kB smaller, and the table loads
 * in less time.
 */
export const tokenTable: Plugin = {
  name: 'token-table',
  async load(id) {
    if (!/\bgpt-tokenizer\b.*\bbpeRanks\b.*\.js$/.test(id)) return undefined
    const { default: table } = (await import(pathToFileURL(id).href)) as {
      default: readonly (string | readonly number[])[]
    }
    // Some tokens are bytes that are not a text.
    const isPlain = (token: string | readonly number[]): token is string =>
      typeof token === 'string' && !token.includes(BETWEEN_TOKENS)
    const texts = table.map((token) => (isPlain(token) ? token : ''))
    const others = table.flatMap((token, rank) => (isPlain(token) ? [] : [[rank, token]]))
    return `const table = ${JSON.stringify(texts.join(BETWEEN_TOKENS))}.split(${JSON.stringify(BETWEEN_TOKENS)})
      for (const [rank, token] of ${JSON.stringify(others)}) table[rank] = token
      export default table`
  },
}

/** DEL. Few tokens have it, and a text has it without an escape, so that it takes one byte. */
const BETWEEN_TOKENS = '\u007f'

/**
 * Escapes what is not ASCII: it is only in texts and regular expressions. With one other character in a file, Node keeps
 * two bytes for each of its characters, which takes 1 MB and 10 ms of a start.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\u007f]/g, escaped)
    }
  },
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Keeps the names of classes of errors: a test that expects another error shows the name of the class. */
const namedErrors: Plugin = {
  name: 'named-errors',
  transform(code, id) {
    if (!id.startsWith(join(root, 'src'))) return undefined
    const named = code.replaceAll(
      /^export (?:abstract )?class (\w+Error) extends [^{]+\{/gm,
      '$&static name = "$1";',
    )
    // No line moves, so the map of the source is still right.
    return named === code ? undefined : { code: named, map: null }
  },
}

/** What goes into a bundle. */
interface Contents {
  readonly entries: Readonly<Record<string, string>>
  /** Packages that are installed beside the bundle. */
  readonly external: readonly string[]
  /** Packages that programs of users load, each as a file of its own: they cannot load a part of a bundle. */
  readonly loaded: readonly string[]
  /** `node` if no program is for browsers. */
  readonly platform: 'neutral' | 'node'
  /** Names in the source, with what each stands for. */
  readonly defined: Readonly<Record<string, string>>
}

/**
 * The package for npm. Not `node`: that adds an import of `node:module` to every program, those for
 * browsers included.
 */
const PACKAGE: Contents = {
  entries: ENTRIES,
  external: NOT_BUNDLED,
  loaded: [],
  platform: 'neutral',
  defined: {},
}

/**
 * The command line with the packages that it needs, for installations without npm. tsx contains a compiler
 * for one platform: without it, Node itself reads scenarios in TypeScript.
 */
export const STANDALONE: Contents = {
  entries: { cli: COMMAND },
  external: ['tsx'],
  loaded: ['undici'],
  platform: 'node',
  defined: { 'globalThis.SVTRAIN_BY_PIP': 'true' },
}

/** Writes the programs, the dashboard, what Python loads, the licenses and the JSON Schema of scenarios. */
export async function bundle(outdir: string, contents = PACKAGE): Promise<void> {
  const libraries = await build({
    absWorkingDir: root,
    entryPoints: [...COMMONJS, ...contents.loaded].map((name) => ({ in: name, out: name })),
    // A port passes on raw bytes and the raw query. Loading these parsers takes longer than Express itself.
    alias: { 'body-parser': './.build/no-body-parser.ts', qs: './.build/no-qs.ts' },
    plugins: [servedTypes, neededLater],
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minify: true,
    legalComments: 'none',
    metafile: true,
  })
  const programs = await bundlePrograms(outdir, contents)
  const dashboard = await buildDashboard(join(outdir, 'dashboard'))
  await cp(join(root, PYTHON_START), join(outdir, basename(PYTHON_START)), {
    recursive: true,
    filter: (path) => basename(path) !== '__pycache__',
  })
  await writeFile(
    join(outdir, 'THIRD-PARTY-LICENSES.txt'),
    await licensesOf([
      ...programs,
      ...Object.keys(libraries.metafile.inputs),
      ...Object.keys(dashboard.inputs),
    ]),
  )
  const schema = `${JSON.stringify(editorSchema(operationNames))}\n`
  await writeFile(join(outdir, 'scenario.schema.json'), schema)
}

/** Bundles the programs and returns the files that went into them. */
async function bundlePrograms(
  outdir: string,
  { entries, external, platform, defined }: Contents,
): Promise<string[]> {
  const programsThatLoad = programsByModule(entries)
  const groups = new Set<string>()
  const bundling = await rolldown({
    cwd: root,
    input: entries,
    platform,
    external: (id) => isExternal(id, external),
    plugins: [byRequire, tokenTable, recordTables, builtins, namedErrors, asciiOnly],
    resolve: {
      conditionNames: ['import', 'default'],
      mainFields: ['module', 'main'],
      alias: {
        [REPLACED_BUILTIN]: join(root, '.build', 'assert.ts'),
        'string-width': join(root, '.build', 'string-width.ts'),
        '@modelcontextprotocol/server/_shims': join(root, '.build', 'no-ajv.ts'),
      },
    },
    transform: { target: 'node20.19', define: defined },
    preserveEntrySignatures: 'allow-extension',
    // Imported for what it does. The package says that its modules only export, so that bundlers leave out the rest.
    treeshake: { moduleSideEffects: [{ test: /\bweb-globals\.ts$/, sideEffects: true }] },
    checks: { ineffectiveDynamicImport: false, preferBuiltinFeature: false },
  })
  const { output } = await bundling.write({
    dir: outdir,
    format: 'esm',
    minify: true,
    comments: false,
    // The maps stay in the repository, so the programs must not refer to them.
    sourcemap: platform === 'neutral' && 'hidden',
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => `${groups.has(name) ? 'shared' : name}-[hash].js`,
    hashCharacters: 'base36',
    // Modules that the same programs load at their start are one file. Otherwise the command loads 50
    // files, which takes 40 ms longer.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: 'modules that the same programs load at their start',
          name: (id, context) => {
            const group = programsThatLoad(id, context)
            groups.add(group)
            return group || null
          },
        },
      ],
    },
  })
  await bundling.close()
  return output.flatMap((file) =>
    file.type === 'chunk' ? file.moduleIds.map((id) => relative(root, id)) : [],
  )
}

/** Makes a function that returns the programs that load a module at their start, as a text. */
function programsByModule(
  entries: Contents['entries'],
): (id: string, context: ChunkingContext) => string {
  const modules = new Map<string, ReadonlySet<string>>()
  return (id, context) => {
    const imported = (of: string): readonly string[] => context.getModuleInfo(of)?.importedIds ?? []
    const add = (programs: Contents['entries'], before?: ReadonlySet<string>): void => {
      for (const [name, entry] of Object.entries(programs)) {
        const loaded = [...closureOf(join(root, entry), imported)]
        modules.set(name, new Set(loaded.filter((each) => !before?.has(each))))
      }
    }
    if (modules.size === 0) {
      add(entries)
      add(LOADED_BY_COMMAND, modules.get('cli'))
      add(LOADED_BY_EMULATORS, modules.get('browser'))
    }
    return [...modules].flatMap(([name, loaded]) => (loaded.has(id) ? [name] : [])).join(' ')
  }
}

function isExternal(id: string, packages: readonly string[]): boolean {
  if (id === REPLACED_BUILTIN) return false
  if (isBuiltin(id)) return true
  return packages.some((name) => id === name || id.startsWith(`${name}/`))
}

/** A module and all modules that it imports, at any depth, except by `import()`. */
function closureOf(
  start: string,
  imported: (id: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>([start])
  for (const id of found) for (const each of imported(id)) found.add(each)
  return found
}
