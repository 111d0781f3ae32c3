import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { parseSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', 'src')

/** The folders of `src`. A folder imports only folders that come earlier in this list, types included. */
const order = [
  'base/text',
  'base/clock',
  'base/random',
  'service/contract',
  'service/scenario',
  'service/platform',
  'service/engine',
  'service/api',
  'webhooks/signature',
  'webhooks/sink',
  'webhooks/sending',
  'emulator/testing',
  'emulator',
  'emulator/control',
  'emulator/adapters',
  'emulator/intercept',
  'tools/play',
  'tools/bill',
  'tools/recording',
  'tools/report',
  'tools/explore',
  'tools/mcp',
  'compose',
  'runners',
  'cli',
  'dashboard',
]

/** The nine rooms, the folders at the top of `src`. */
const rooms = [...new Set(order.map((folder) => folder.split('/')[0]!))]

interface Source {
  name: string
  text: string
  /** The source files that it imports, types included. */
  imports: string[]
  /** Those that it loads when it runs. */
  loads: string[]
  /** The imports from other files. */
  packages: string[]
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })

const sources: Source[] = files
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => {
    const text = readFileSync(join(root, name), 'utf8')
    const atRunTime = text.replaceAll(/^(?:import|export) type [^']*'[^']+'/gm, '')
    const specifiers = specifiersIn(text)
    return {
      name,
      text,
      imports: filesOf(name, specifiers),
      loads: filesOf(name, specifiersIn(atRunTime)),
      packages: specifiers.filter((each) => !each.startsWith('.')),
    }
  })

function specifiersIn(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((found) => found[1]!)
}

/** The source files that specifiers in a file name. */
function filesOf(name: string, specifiers: readonly string[]): string[] {
  return specifiers
    .filter((specifier) => specifier.startsWith('.') && specifier.endsWith('.js'))
    .map((specifier) => relative(root, join(root, dirname(name), specifier)).replace(/js$/, 'ts'))
    .map((file) => (files.includes(file) ? file : `${file}x`))
}

/** The folder of `order` that holds a file: `webhooks/sink`, or `emulator` for its own files and other folders. */
function folderOf(name: string): string {
  const [room, folder] = name.split('/')
  return order.find((each) => each === `${room}/${folder}`) ?? room!
}

/** The folder of a tool that holds a file: `tools/bill`, `cli/tools/bill`. */
function toolFolderOf(name: string): string {
  return /^(?:cli\/)?tools\/[^/]+/.exec(name)?.[0] ?? ''
}

/** Files of the root are entries, above all folders. */
function rankOf(name: string): number {
  return name.includes('/') ? order.indexOf(folderOf(name)) : order.length
}

/** The code alone, so that a comment may speak of what code may not do. */
function codeOf({ text }: Source): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

/** The files whose code matches, each with its first match. */
function offenders(pattern: RegExp, except: (name: string) => boolean): string[] {
  return sources.flatMap((source) => {
    const found = except(source.name) ? null : pattern.exec(codeOf(source))
    return found ? `${source.name}: ${found[0]}` : []
  })
}

describe('docs/contributing.md', () => {
  const page = readFileSync(join(root, '..', 'docs', 'contributing.md'), 'utf8')

  it('lists the folders of src in their order', () => {
    const [, table = ''] = page.split('| folder')
    const [rows = ''] = table.split('\n\n')
    const folders = [...rows.matchAll(/^\| `([a-z/]+)`/gm)].map(([, folder]) => folder)
    expect(folders, 'docs/contributing.md and `order` in this file').toEqual(order)
  })

  it('names only files and folders that exist, as the page of the sources does', () => {
    const both = page + readFileSync(join(root, 'README.md'), 'utf8')
    const paths = [...both.matchAll(/`((?:src|test|scenarios|docs|\.build|\.ci)\/[\w./-]*)`/g)]
    expect(paths.length).toBeGreaterThan(20)
    const missing = paths.filter(([, path]) => !existsSync(join(root, '..', path!)))
    expect(missing.map(([, path]) => path)).toEqual([])
  })
})

describe('comments', () => {
  it('cite sections of docs/explain/contract.md that exist', () => {
    const contract = readFileSync(join(root, '..', 'docs', 'explain', 'contract.md'), 'utf8')
    const sections = [...contract.matchAll(/^## (.*)$/gm)].map(([, heading]) => {
      return heading!.toLowerCase().replaceAll(' ', '-')
    })
    const cited = sources.flatMap(({ text }) => {
      return [...text.matchAll(/docs\/explain\/contract\.md#([\w-]+)/g)].map(
        ([, section]) => section!,
      )
    })
    expect(cited.length).toBeGreaterThan(5)
    expect(cited.filter((section) => !sections.includes(section))).toEqual([])
    expect(sources.filter(({ text }) => /docs\/explain\/contract\.md(?!#)/.test(text))).toEqual([])
  })
})

/** Types whose name says what was done to something, but not what it is. No search finds them. */
const PARTICIPLE =
  /^(?:export )?(?:interface|type|class) ((?!Need\b)[A-Z][a-z]+ed|Found|Sent|Made|Ran|Told|Shown|Kept|Known|Taken|Given|Written|Drawn|Chosen|Built|Left|Held|Seen|Bound|Hidden|Lost)\b/gm

describe('names of types', () => {
  it('are nouns, and no participles', () => {
    const found = sources.flatMap(({ name, text }) => {
      return [...text.matchAll(PARTICIPLE)].map(([, type]) => `${type} in ${name}`)
    })
    // These are public, so they stay.
    const ofPackage =
      /^(?:Mocked|Explored|Received|Delivered|Settled|Explained|Restored|Answered) in /
    expect(found.filter((each) => !ofPackage.test(each))).toEqual([])
  })
})

/** Where a refused word has another meaning in code, the names in which it has the refused one. */
const narrowed: Readonly<Record<string, RegExp>> = {
  // Several of them are worlds: an emulator has a world for each key.
  'an isolated state with its own clock': /\b(?:cores|engines)\b/,
  'what plays a scenario': /\b(?:scenario|playing) worlds?\b|\bworld (?:plays|player)\b/,
  // A `chance` of 0.5 is a probability.
  'seeded randomness': /\bchance\b.* type$/,
  'a response that waits': /\bheld (?:responses?|answers?|requests?|calls?)\b/,
  // A request has a target, too, and so does an event of the page.
  'where a webhook goes':
    /\bhooks?\b|\b(?:webhook|delivery|automation) targets?\b|\btarget (?:url|secret|problem)s?\b/,
  'an answer of a model, as the engine remembers it': /\bexchanged?s?\b/,
  'Node or a browser, as what we run on':
    /\b(?:node|browser) platforms?\b|\bplatform (?:verbs|options|parts)\b/,
  'text for people': /^(?:told|written)\b.*\(\)/,
  'does X fit pattern Y':
    /\b(?:fits|satisfies)(?: the)? (?:pattern|glob|filter|path|route)\b|\b(?:pattern|glob|filter|path|route) (?:fits|satisfies)\b/,
  'to remove secrets': /^leaves? out\b|\bleft out (?:secrets?|keys?|tokens?)\b/,
}

/** The folders where a word has the refused meaning. Default: everywhere. */
const narrowedTo: Readonly<Record<string, RegExp>> = {
  'stored state': /^(?:service\/engine|webhooks\/sending|emulator|compose)\//,
  'an answer of a model, as the engine remembers it': /^service\/engine\//,
}

/** Names that users, saved files or libraries know, by the files that declare them. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  // Deprecated, or removed with an error that says so.
  'base/text/removed.ts': ['assertSoundConduct', 'ConductError'],
  'base/text/removed-exports.ts': ['ConductError'],
  'emulator/control/client/evidence.ts': ['agenda'],
  'emulator/control/timeline.ts': ['readAgenda'],
  // The captured calls of a trajectory.
  'service/engine/jobs/read-lessons.ts': ['exchangedTurn'],
  'service/engine/jobs/submission.ts': ['exchanges'],
  'service/engine/jobs/trainable.ts': ['exchanges', 'addExchanges'],
  'service/engine/lineage/read-trajectory.ts': ['exchanges'],
  // Fields of saved records.
  'service/engine/saved-timeline.ts': ['happening'],
  'service/engine/saved/records.ts': ['kept'],
  'service/engine/timeline.ts': ['happening'],
  'webhooks/sending/saved-webhooks-schema.ts': ['kept'],
  'webhooks/sending/saved-webhooks.ts': ['kept'],
  // An option of uPlot.
  'dashboard/kit/plot.tsx': ['hooks'],
}

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Where the syntax tree has what a source declares. */
const DECLARING = ['id', 'key', 'param', 'parameter', 'params']

/** The names that a source declares: `run()` of a function, `Run type` of a type, `run` of anything else. */
function declaredNamesIn(file: string, text: string): string[] {
  const names: string[] = []
  const visit = (node: Node, isDeclared: boolean, kind: string): void => {
    const { type, name, computed, shorthand } = node
    // A component of the page is named like a type.
    const mark = kind === '()' && /^[A-Z]/.test(String(name)) ? '' : kind
    if (isDeclared && /^(?:Private)?Identifier$/.test(type)) names.push(`${String(name)}${mark}`)
    const isPattern = isDeclared && /Pattern$|^Property$|^RestElement$/.test(type)
    const isRenamed = type === 'ImportSpecifier' && node.start !== (node.local as Node).start
    for (const [field, inside] of Object.entries(node)) {
      if (typeof inside !== 'object') continue
      let declares = DECLARING.includes(field) && computed !== true && shorthand !== true
      if (isPattern) declares = field !== 'key' && field !== 'right'
      if (isRenamed) declares = field === 'local'
      const itsKind = field === 'id' || field === 'key' ? kindOf(node) : ''
      for (const child of (Array.isArray(inside) ? inside : [inside]) as (Node | null)[]) {
        if (typeof child?.type === 'string') visit(child, declares, itsKind)
      }
    }
  }
  visit(parseSync(file, text).program as unknown as Node, false, '')
  return names
}

function kindOf(node: Node): string {
  if (/^(?:Class|TSInterface|TSTypeAlias|TSEnum)/.test(node.type)) return ' type'
  const { type } = (node.value ?? node.init ?? node) as Node
  return /Function|TSMethodSignature/.test(type) && node.kind !== 'get' ? '()' : ''
}

/** `readTheFile` is `read the file`. */
function wordsOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
  return words.replaceAll(/[_$]+/g, ' ').trim().toLowerCase()
}

describe('names', () => {
  /** The rows of the table of words: a concept, and the words that it does not have. */
  const [, ...rows] = readFileSync(join(root, '..', 'docs', 'contributing.md'), 'utf8')
    .split('## Words')[1]!
    .split('\n## ')[0]!
    .matchAll(/^\| ([^|-]+?) +\| [^|]+ \| ([^|]+?) +\|$/gm)
  const refused = rows.map(([, concept = '', words = '']) => ({
    concept,
    pattern: narrowed[concept] ?? new RegExp(`\\b(?:${words.replaceAll(', ', '|')})s?\\b`),
    folders: narrowedTo[concept] ?? /^/,
  }))
  const refusedIn = (file: string, text: string): string[] => {
    const own = refused.filter(({ folders }) => folders.test(file))
    return declaredNamesIn(file, text).filter((name) => {
      const words = wordsOf(name)
      return own.some(({ pattern }) => pattern.test(words))
    })
  }

  it.each(Object.keys({ ...narrowed, ...narrowedTo }))('have the concept: %s', (concept) => {
    expect(refused.map((row) => row.concept)).toContain(concept)
  })

  it('have the words of docs/contributing.md', () => {
    const found = sources.flatMap(({ name, text }) => {
      const names = refusedIn(name, text).map((each) => each.replace(/\W.*$/, ''))
      return names.length > 0 ? [[name, new Set(names)] as const] : []
    })
    const known = Object.entries(allowed).map(([file, names]) => [file, new Set(names)])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known))
  })
})

describe('the source tree', () => {
  it('has a place for every folder', () => {
    expect(sources.length).toBeGreaterThan(50)
    const folders = sources.filter(({ name }) => name.includes('/'))
    const names = new Set(folders.map(({ name }) => folderOf(name)))
    expect(names, 'A new folder needs a place in `order` in this file').toEqual(new Set(order))
  })

  it('has its tests in folders of the same names', () => {
    const beside = [
      'bench',
      'browser',
      'build',
      'docs',
      'fixtures',
      'github-action',
      'golden',
      'interop',
      'package',
      'soak',
      'support',
    ]
    const folders = readdirSync(join(root, '..', 'test'), { withFileTypes: true })
      .filter((each) => each.isDirectory())
      .map(({ name }) => name)
    const others = folders.filter((name) => ![...rooms, ...beside].includes(name))
    expect(others, 'A new folder needs its name in `beside` in this file').toEqual([])
  })

  it('imports downwards only', () => {
    const upwards = sources.flatMap(({ name, imports }) =>
      imports
        .filter((to) => rankOf(to) > rankOf(name))
        .map((to) => `${name} → ${to}: ${folderOf(name)} may not import ${folderOf(to)}`),
    )
    expect(
      upwards,
      'A folder imports itself and those before it: docs/contributing.md#how-the-code-is-laid-out',
    ).toEqual([])
  })

  it('works without tools: a tool is imported by later tools and by what is above all tools', () => {
    const isTool = (name: string): boolean => name.startsWith('tools/')
    const mayUseTools = ['tools', 'compose', 'runners', 'cli']
    const others = sources.filter(({ name }) => {
      return name.includes('/') && !mayUseTools.includes(name.split('/')[0]!)
    })
    expect(others.length).toBeGreaterThan(200)
    // The page takes the types of the calls of a tool, and loads nothing of it: see below.
    const isCall = (edge: string): boolean => /^dashboard\/.* → tools\/\w+\/control-/.test(edge)
    const edges = others.flatMap(({ name, imports }) =>
      imports.filter(isTool).map((to) => `${name} → ${to}`),
    )
    expect(
      edges.filter((edge) => !isCall(edge)),
      'A tool brings its calls and methods, and `compose` adds them',
    ).toEqual([])
  })

  it('lets a tool be deleted: at most four files elsewhere do not compile without its two folders', () => {
    const tools = order.filter((folder) => folder.startsWith('tools/'))
    const without = Object.fromEntries(
      tools.map((tool) => {
        const isGone = (file: string): boolean => [tool, `cli/${tool}`].includes(toolFolderOf(file))
        const broken = sources.filter(({ name, imports }) => !isGone(name) && imports.some(isGone))
        return [tool, broken.map(({ name }) => name).sort()]
      }),
    )
    expect(without).toEqual({
      'tools/play': ['cli/commands/index.ts'],
      'tools/bill': [
        'cli/run/exec.ts',
        'compose/control-table.ts',
        'compose/create-client.ts',
        'compose/emulator-with-tools.ts',
      ],
      'tools/recording': ['cli/commands/index.ts'],
      'tools/report': [
        'cli/commands/index.ts',
        'cli/failure/html.ts',
        'cli/tools/explore/html-report.ts',
        'compose/compose.ts',
      ],
      'tools/explore': [
        'cli/commands/index.ts',
        'compose/control-table.ts',
        'compose/create-client.ts',
        'runners/explore.ts',
      ],
      'tools/mcp': ['cli/commands/index.ts', 'compose/node-runtime.ts'],
    })
  })

  it('has entries in its root that complete the globals first, re-export by name, and do nothing else', () => {
    const entries = sources.filter(({ name }) => !name.includes('/'))
    expect(entries.map(({ name }) => name).sort()).toEqual([
      'assert.ts',
      'browser.ts',
      'client.ts',
      'explore.ts',
      'index.ts',
      'jest.ts',
      'msw.ts',
      'vitest.ts',
      'webhooks.ts',
    ])
    for (const entry of entries) {
      const [first, ...lines] = codeOf(entry).trim().split('\n')
      expect(first).toBe("import './base/text/web-globals.js'")
      const rest = lines.join('\n').replaceAll(/export (?:type )?\{[^}]*\} from '[^']+'/g, '')
      expect(rest.trim()).toBe('')
    }
  })

  it('has a dashboard that takes only types from the control API, and that nothing imports', () => {
    const isInside = (file: string): boolean => file.startsWith('dashboard/')
    const crossing = sources.flatMap(({ name, imports, loads }) => {
      const across = (named: string[]): string[] =>
        named.filter((to) => isInside(to) !== isInside(name)).map((to) => `${name} → ${to}`)
      const isType = (edge: string): boolean =>
        /^dashboard\/.* → (?:emulator\/control\/|tools\/\w+\/control-)/.test(edge)
      return [...across(loads), ...across(imports).filter((edge) => !isType(edge))]
    })
    expect(crossing).toEqual([])
  })

  it('has no import circles, not even of types', () => {
    const graph = new Map(sources.map(({ name, imports }) => [name, imports]))
    const circles: string[] = []
    const done = new Set<string>()
    const visit = (name: string, trail: readonly string[]): void => {
      if (trail.includes(name)) {
        circles.push([...trail.slice(trail.indexOf(name)), name].join(' → '))
        return
      }
      if (done.has(name)) return
      for (const to of graph.get(name) ?? []) visit(to, [...trail, name])
      done.add(name)
    }
    for (const { name } of sources) visit(name, [])
    expect(circles).toEqual([])
  })

  it('uses the real clock only in base/clock/, and randomness only in base/random/', () => {
    const time = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.|\bset(?:Timeout|Interval)\b/
    const chance = /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/
    expect.soft(offenders(time, (name) => name.startsWith('base/clock/'))).toEqual([])
    expect.soft(offenders(chance, (name) => name.startsWith('base/random/'))).toEqual([])
  })

  it('prints and exits in cli/ only', () => {
    const pattern = /\bconsole\.|\bprocess\.(?:exit|stdout|stderr)\b/
    // The page shows examples in TypeScript, which print.
    const examples = 'dashboard/parts/snippets.tsx'
    const prints = (name: string): boolean => name.startsWith('cli/') || name === examples
    expect(offenders(pattern, prints)).toEqual([])
  })

  it('names other services in one folder only', () => {
    const names = /wandb|github_pat|glpat|\bxox|AKIA|AIza|hugging_?face/i
    const inFolder = (name: string): boolean => name.startsWith('base/text/vendor/')
    // A package can only be imported by its name.
    const withoutPackages = (source: Source): string => {
      return codeOf(source).replaceAll(/(?:\bfrom |\bimport\()'@[^']+'/g, '')
    }
    const naming = sources.filter((each) => names.test(withoutPackages(each)))
    expect(
      naming
        .map(({ name }) => name)
        .filter(inFolder)
        .sort(),
    ).toEqual([
      'base/text/vendor/client-versions.ts',
      'base/text/vendor/hosts.ts',
      'base/text/vendor/keys.ts',
      'base/text/vendor/platform-names.ts',
      'base/text/vendor/platform-schema.ts',
      'base/text/vendor/sdk-variables.ts',
    ])
    expect(naming.filter(({ name }) => !inFolder(name))).toEqual([])
  })

  it('exports by name, one by one', () => {
    expect(offenders(/\bexport \*|\bexport default\b/, () => false)).toEqual([])
  })

  it('has no folders or files with names like utils', () => {
    const drawers = sources.filter(({ name }) => {
      return /^(?:helpers?|utils?|common|types|misc)\.ts$/.test(basename(name))
    })
    expect(drawers.map(({ name }) => name)).toEqual([])
  })
})

describe('the command line', () => {
  it('starts without the schema library and the YAML parser', () => {
    const reached = new Set(['cli/main.ts'])
    const packages = new Set<string>()
    for (const name of reached) {
      const { text } = sources.find((source) => source.name === name)!
      // What `import()` loads, and what types alone need, is not loaded at the start.
      const started = text.matchAll(/^(?:import|export) (?!type)[^'(]*'([^']+)'/gm)
      const specifiers = [...started].map(([, specifier]) => specifier!)
      for (const file of filesOf(name, specifiers)) reached.add(file)
      for (const specifier of specifiers) if (!specifier.startsWith('.')) packages.add(specifier)
    }
    expect(reached.size).toBeGreaterThan(100)
    expect(
      [...packages].filter((name) => ['zod', 'yaml', '@faker-js/faker'].includes(name)),
    ).toEqual([])
  })
})

describe('the code that runs in browsers', () => {
  const entries = ['browser.ts', 'msw.ts']

  it('imports nothing from Node, directly or indirectly', () => {
    const reached = new Set(entries)
    for (const name of reached) {
      for (const to of sources.find((source) => source.name === name)?.loads ?? []) {
        reached.add(to)
      }
    }
    expect(reached.size).toBeGreaterThan(100)
    const nodes = sources.filter(({ name, packages }) => {
      return reached.has(name) && packages.some((each) => each.startsWith('node:'))
    })
    expect(nodes.map(({ name }) => name)).toEqual([])
  })

  it.each(entries)('is bundled with its libraries: %s', async (entry) => {
    const { errors, outputFiles } = await build({
      entryPoints: [join(root, entry)],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      // The user's own.
      external: ['msw'],
      // Libraries have examples in comments, which are not code.
      minifyWhitespace: true,
      logLevel: 'silent',
    })
    expect(errors).toEqual([])
    expect(outputFiles[0]!.text).not.toMatch(/\brequire\(|from ?["']node:/)
  })

  it('exports nothing that the package does not export', { timeout: 60_000 }, async () => {
    const browser = Object.keys(await import('../src/browser.js'))
    expect(Object.keys(await import('../src/index.js'))).toEqual(expect.arrayContaining(browser))
  })
})
