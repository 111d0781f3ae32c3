import { homedir } from 'node:os'
import { builtinModules } from 'node:module'
import { ALLOWED_LICENSES, licensesIn } from '../licenses.js'
import { root } from '../stamp.js'
import { checked, type Check, type Problem } from './check.js'

/** What may be in a package that is published. */
export interface Expected {
  /** Files, and folders with a slash at the end, that must be there. */
  readonly required: readonly string[]
  /** All files that may be there. */
  readonly allowed: readonly RegExp[]
  /** The largest packed size, in bytes. */
  readonly mostBytes: number
}

const LICENSES = 'THIRD-PARTY-LICENSES.txt'
/** What explorations start programs in Python with. */
const PYTHON_START = 'python-start/sitecustomize.py'

/** The built program, with or without entries for JavaScript. */
const PROGRAM: readonly RegExp[] = [
  /^dist\/[\w-]+\.js$/,
  /^dist\/(?:cors|cross-spawn|express)\.cjs$/,
  /^dist\/dashboard\/(?:index\.html|assets\/(?:dashboard\.css|icon\.svg|main\.js))$/,
  /^dist\/(?:THIRD-PARTY-LICENSES\.txt|scenario\.schema\.json|python-start\/\w+\.py)$/,
  /^docs\/(?:(?:start|how-to|explain|reference|reference\/api)\/)?[\w-]+\.md$/,
  /^skills\/[\w-]+\/(?:SKILL|references\/[\w-]+)\.md$/,
  /^(?:CHANGELOG\.md|LICENSE|llms\.txt)$/,
]

/** The package for npm. */
export const NPM: Expected = {
  required: [
    'AGENTS.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin/svtrain-emulator.js',
    `dist/${LICENSES}`,
    'dist/cli.js',
    'dist/dashboard/index.html',
    'dist/index.js',
    `dist/${PYTHON_START}`,
    'dist/scenario.schema.json',
    'dist/types/src/index.d.ts',
    'docs/start/server.md',
    'llms.txt',
    'package.json',
    'scenarios/happy-path.yaml',
    'skills/svtrain-emulator/SKILL.md',
  ],
  allowed: [
    ...PROGRAM,
    /^dist\/types\/src\/[\w/-]+\.d\.ts$/,
    /^scenarios\/[\w-]+\.yaml$/,
    /^(?:AGENTS\.md|README\.md|package\.json|bin\/svtrain-emulator\.js)$/,
  ],
  // A quarter of it is the table of the tokenizer, which only chats load. It also contains Express. The
  // judge and the learner take 35 kB, the dashboard 90 kB, explore, recordings and reports 90 kB,
  // the MCP server 60 kB, exact numbers and the log of a data folder 10 kB, redaction and errors of
  // background work 15 kB, the lineage and the checks of training data 25 kB with their pages of the dashboard, the
  // files of a tokenizer 20 kB, runs and artifacts with GraphQL 55 kB, refusals of what can never work 10 kB, words about
  // functions and rows of users 5 kB, and the documentation 221 kB. Its images are in the repository only.
  mostBytes: 1_816_000,
}

const PYTHON_PROGRAM = 'svtrain_emulator/_node/program'

/** What programs in Node load before they are led to the emulator. The npm package depends on it instead. */
const UNDICI = 'dist/undici.cjs'

/** The wheel of the Python package. */
export const WHEEL: Expected = {
  required: [
    'svtrain_emulator/__init__.py',
    'svtrain_emulator/py.typed',
    'svtrain_emulator/pytest_plugin.py',
    'svtrain_emulator/_generated/client.py',
    'svtrain_emulator/_node/main.mjs',
    ...[
      'CHANGELOG.md',
      'LICENSE',
      `dist/${LICENSES}`,
      'dist/cli.js',
      'dist/dashboard/index.html',
      `dist/${PYTHON_START}`,
      'docs/how-to/pytest.md',
      UNDICI,
    ].map((file) => `${PYTHON_PROGRAM}/${file}`),
  ],
  allowed: [
    ...PROGRAM.map(({ source }) => new RegExp(source.replace('^', `^${PYTHON_PROGRAM}/`))),
    new RegExp(`^${PYTHON_PROGRAM}/${UNDICI}$`),
    /^svtrain_emulator\/(?:_generated\/)?\w+\.py$/,
    /^svtrain_emulator\/py\.typed$/,
    /^svtrain_emulator\/_node\/[\w-]+\.mjs$/,
    /^svtrain_emulator-[^/]+\.dist-info\/(?:METADATA|RECORD|WHEEL|entry_points\.txt|licenses\/LICENSE)$/,
  ],
  // The npm package without its types, the licenses of what it bundles, and the library of `fetch`, of 150 kB.
  mostBytes: 2_400_000,
}

/** The files of a package, by their paths. */
export type Files = ReadonlyMap<string, Buffer>

/** Returns the files of a package that are not in the list of what may be there. */
function unexpectedFiles(paths: Iterable<string>, { allowed }: Expected): string[] {
  return [...paths].filter((path) => !allowed.some((pattern) => pattern.test(path))).sort()
}

/** Checks what is in a package, and how large it is. */
export function checkContents(
  name: string,
  { files, bytes }: { files: Files; bytes: number },
  expected: Expected,
): Check[] {
  const { required, mostBytes } = expected
  const size = `${bytes.toLocaleString('en-US')} of ${mostBytes.toLocaleString('en-US')} bytes`
  const tooLarge = {
    problem: `The packed file has ${bytes.toLocaleString('en-US')} bytes.`,
    todo: 'Find what grew, and remove it. Or raise the limit in .build/release/contents.ts, and say why there.',
  }
  const missing = required.filter((path) => !files.has(path))
  return [
    checked(`${name}: size`, size, bytes > mostBytes ? [tooLarge] : []),
    checked(`${name}: files`, `${files.size} files`, [
      ...missing.map((path) => ({
        problem: `${path} is missing.`,
        todo: 'Build again. Then look at "files" in package.json, .build/standalone.ts and pyproject.toml.',
      })),
      ...unexpectedFiles(files.keys(), expected).map((path) => ({
        problem: `${path} is not a file that the package needs.`,
        todo: 'Leave it out of the package, or add it to the list in .build/release/contents.ts.',
      })),
    ]),
    checked(`${name}: contents`, `${files.size} files`, textProblems(files)),
    checkBundledLicenses(name, files),
  ]
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Finds paths in these folders, and in those where people of other machines have theirs. */
export function absolutePaths(folders: readonly string[]): RegExp {
  // In a container, the home folder may be the root, and the repository may be in `/src`.
  const named = folders
    .map((folder) => folder.replace(/\/+$/, ''))
    .filter((folder) => folder !== '')
  const own = named.map((folder) => {
    // `/root` alone is a word as well: the tokens of chats have it.
    const isWord = !folder.slice(1).includes('/')
    return String.raw`(?<![\w.-])${escaped(folder)}${isWord ? '/' : String.raw`(?![\w.-])`}`
  })
  const others = String.raw`(?<![\w.:/])/(?:home|Users|root|tmp|var/folders)/\w|[A-Z]:\\Users\\`
  return new RegExp([...own, others].join('|'))
}

/** Texts that must not be in a package. */
const forbidden: readonly { pattern: RegExp; what: string; todo: string; in?: RegExp }[] = [
  {
    pattern: absolutePaths([root, homedir()]),
    what: 'an absolute path',
    todo: 'Find the code that writes it, and write a relative path.',
  },
  {
    pattern:
      /https?:\/\/(?:registry\.[\w.-]+\/|files\.pythonhosted\.org\/)|https?:\/\/[^\s"'`)]+\.(?:tgz|tar\.gz|whl|zip)\b/,
    what: 'a download address',
    todo: 'Remove it. Installations take packages from the registry of the user.',
  },
  {
    pattern: /sourceMappingURL=/,
    what: 'a reference to a source map',
    todo: 'Build without it. The package has no maps.',
    in: /\.(?:[cm]?js|css|d\.ts)$/,
  },
  {
    pattern: /from ?["'](?:node:test|@jest\/globals)["']|["'][./\w-]*\.test\.[jt]s["']/,
    what: 'the code of a test',
    todo: 'Leave it out of the bundle.',
    in: /\.(?:[cm]?js|py)$/,
  },
]

function textProblems(files: Files): Problem[] {
  return [...files].flatMap(([path, content]) => {
    const text = content.toString('utf8')
    const found = forbidden.flatMap(({ pattern, what, todo, in: where }) => {
      if (where && !where.test(path)) return []
      const [match] = pattern.exec(text) ?? []
      return match === undefined ? [] : [{ problem: `${path} has ${what}: ${match}`, todo }]
    })
    return [...found, ...importProblems(path, text, files)]
  })
}

/** A program of the npm package imports nothing that its user does not have. */
function importProblems(path: string, text: string, files: Files): Problem[] {
  const manifest = files.get('package.json')
  if (manifest === undefined || !/^dist\/[\w-]+\.js$/.test(path)) return []
  const { dependencies, peerDependencies, name } = JSON.parse(manifest.toString()) as Manifest
  const known = [name, ...Object.keys({ ...dependencies, ...peerDependencies }), ...builtinModules]
  const imports = text.matchAll(
    /(?:^|[;}\s])(?:import|export)(?:[\w\s$*{},]*\bfrom)? ?["']([^."'][^"']*)["']/g,
  )
  return Array.from(imports, ([, specifier = '']) => specifier).flatMap((specifier) => {
    const isKnown = known.some((each) => specifier === each || specifier.startsWith(`${each}/`))
    if (specifier.startsWith('node:') || isKnown) return []
    const problem = `${path} imports "${specifier}", which an installation does not have.`
    return [{ problem, todo: 'Bundle it, or add it to "dependencies" in package.json.' }]
  })
}

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Each bundled package has an allowed license, with its text. */
function checkBundledLicenses(name: string, files: Files): Check {
  const [, list] = [...files].find(([path]) => path.endsWith(`dist/${LICENSES}`)) ?? []
  const packages = licensesIn(list?.toString('utf8') ?? '')
  // Without these packages, the list is not the one of this bundle.
  const needed = ['express', 'preact', 'yargs', 'zod']
  const missing = (list ? needed : []).filter((each) => !packages.some((one) => one.name === each))
  return checked(`${name}: bundled licenses`, `${packages.length} packages`, [
    ...missing.map((each) => ({
      problem: `The license of ${each} is missing in dist/${LICENSES}.`,
      todo: 'Build again. .build/licenses.ts writes the list.',
    })),
    ...packages
      .filter(({ text }) => text.length < 200)
      .map((each) => ({
        problem: `The text of the license of ${each.name} ${each.version} is missing.`,
        todo: 'Add the text to .build/licenses.ts.',
      })),
    ...refusedLicenses(packages),
  ])
}

/** Returns a problem for each package whose license is not in the list of allowed ones. */
export function refusedLicenses(
  packages: readonly { name: string; version: string; license: string }[],
): Problem[] {
  return packages
    .filter(({ license }) => !isAllowed(license))
    .map(({ name, version, license }) => ({
      problem: `${name} ${version} has the license "${license || 'none'}".`,
      todo: `Use another package. If the license asks for no more than its text, add it to .build/licenses.ts. Allowed: ${ALLOWED_LICENSES.join(', ')}.`,
    }))
}

/** `(MIT OR GPL-2.0)` lets us choose; `MIT AND ISC` asks for both. */
function isAllowed(license: string): boolean {
  const plain = license.replaceAll(/[()]/g, '')
  return plain.split(' OR ').some((choice) => {
    return choice.split(' AND ').every((each) => ALLOWED_LICENSES.includes(each.trim()))
  })
}
