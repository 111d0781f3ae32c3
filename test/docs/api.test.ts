import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiSources } from '../../.build/reference/api.js'
import type { Entry, Export, Member } from '../../.build/reference/api/model.js'
import { readApi } from '../../.build/reference/api/read.js'
import { renderApi } from '../../.build/reference/api/render.js'
import { assertBuilt } from '../cli/command.js'
import { problemsIn } from '../support/compiled.js'
import { root } from '../support/pages.js'

/** The reference of the TypeScript API comes from TSDoc, so TSDoc must say everything, and say it right. */

let entries: Entry[]
beforeAll(() => {
  entries = readApi(apiSources())
})

function allExports(): Export[] {
  return entries.flatMap((entry) => entry.exports)
}

/** An export or a member, with its name on the page. */
type Documented = Pick<Export | Member, 'name' | 'kind' | 'comment' | 'parameters'>

function withMembers({ name, members, ...of }: Export): Documented[] {
  const inside = members.map((member) => ({ ...member, name: `${name}.${member.name}` }))
  return [{ name, ...of }, ...inside]
}

describe('TSDoc', () => {
  const lacksSummary = ({ comment }: Documented): boolean => comment.summary === ''
  const isNew = ({ comment }: Documented): boolean => comment.deprecated === undefined
  const lacksExample = ({ comment }: Documented): boolean => comment.examples.length === 0
  const shown = (): Export[] => entries.flatMap((each) => [...each.exports, ...each.unexported])
  const membersOf = (all: Export[]): Documented[] =>
    all.flatMap((each) => withMembers(each).slice(1))
  const exportsOfKind = (kind: string): Export[] =>
    allExports().filter((each) => each.kind === kind)

  it.each<[rule: string, offenders: () => Documented[]]>([
    [
      'every export, and every type that it names, has a summary',
      () => shown().filter(lacksSummary),
    ],
    [
      'every member of an export has a summary, or says what replaces it',
      // The page shows the codes of an error without a summary.
      () =>
        membersOf(shown()).filter(
          (each) => lacksSummary(each) && isNew(each) && !each.name.endsWith('Error.code'),
        ),
    ],
    [
      'every exported function has an example',
      () => exportsOfKind('function').filter(lacksExample),
    ],
    [
      'every method of a class has an example',
      () =>
        membersOf(exportsOfKind('class')).filter(
          (each) => each.kind === 'method' && lacksExample(each) && isNew(each),
        ),
    ],
  ])('%s', (_rule, offenders) => {
    expect([...new Set(offenders().map(({ name }) => name))]).toEqual([])
  })

  it('every entry point says what it is for', () => {
    expect(entries.filter(({ summary }) => summary === '').map(({ name }) => name)).toEqual([])
  })

  it('every parameter in a comment exists', () => {
    const all = allExports().flatMap(withMembers)
    const wrong = all.flatMap(({ name, kind, comment, parameters }) => {
      if (kind !== 'function' && kind !== 'method') return []
      const unknown = [...comment.params.keys()].filter((param) => !parameters.includes(param))
      return unknown.map((param) => `${name}: ${param}`)
    })
    expect(wrong).toEqual([])
  })

  it('every error in a comment is exported or built in', () => {
    const all = allExports()
    const known = new Set([...all.map(({ name }) => name), 'Error', 'TypeError', 'AssertionError'])
    const wrong = all.flatMap(withMembers).flatMap(({ name, comment }) => {
      const unknown = comment.throws.filter(({ type }) => !known.has(type))
      return unknown.map(({ type }) => `${name}: ${type}`)
    })
    expect(wrong).toEqual([])
  })
})

describe('the pages', () => {
  it('do not show what is private or internal', () => {
    const names = allExports()
      .flatMap(withMembers)
      .map(({ name }) => name)
    expect(names).toContain('Emulator.settle')
    expect(names).not.toContain('Emulator.guardControl')
    expect(names.filter((name) => name.includes('#'))).toEqual([])
  })

  it('have each heading once', () => {
    const repeated = Object.entries(renderApi(entries)).flatMap(([file, text]) => {
      const headings = Array.from(text.matchAll(/^#+ .*$/gm), ([heading]) => heading)
      const again = headings.filter((heading, index) => headings.indexOf(heading) !== index)
      return again.map((heading) => `${file}: ${heading}`)
    })
    expect(repeated).toEqual([])
  })
})

/** An example of a comment, as a module that a user could write. */
interface Example {
  readonly name: string
  readonly entry: string
  readonly code: string
}

/** What the examples use besides the exports of the package. */
const USED = {
  vitest: ['afterAll', 'afterEach', 'beforeEach', 'expect', 'it', 'test'],
  'msw/node': ['setupServer'],
}

/** The values that examples start from. `docs/reference/api/README.md` names them. */
const GLOBALS = `
import type { Emulator, WebhookSink } from 'svtrain-emulator'
import type { Client } from 'svtrain-emulator/client'
declare global {
  const emulator: Emulator
  const sink: WebhookSink
  const client: Client
  function train(options: { baseUrl: string }): Promise<void>
}
`

function examples(): Example[] {
  const found = entries.flatMap((entry) => {
    return [...entry.exports, ...entry.unexported].flatMap(withMembers).flatMap((each) => {
      const { name, comment } = each
      return comment.examples.map((code) => ({ name, entry: entry.name, code }))
    })
  })
  return [...new Map(found.map((each) => [each.name + each.code, each])).values()]
}

/** Adds the imports that an example leaves out. */
function moduleOf({ entry, code }: Example): string {
  const specifier = entry.replace(' (browser)', '')
  const sources: [from: string, names: string[]][] = [
    [specifier, entries.find(({ name }) => name === entry)!.exports.map(({ name }) => name)],
    ...Object.entries(USED),
    ...entries.map(({ name, exports }): [string, string[]] => [
      name.replace(' (browser)', ''),
      exports.map((each) => each.name),
    ]),
  ]
  const isFree = (name: string): boolean => {
    const declared = new RegExp(
      `\\b(?:const|let|class|function) ${name}\\b|import [^']*\\b${name}\\b`,
    )
    return new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name}\\b(?!:)`).test(code) && !declared.test(code)
  }
  const taken = new Set<string>()
  const imports = sources.flatMap(([from, names]) => {
    const used = names.filter((name) => !taken.has(name) && isFree(name))
    for (const name of used) taken.add(name)
    return used.map((name) => `import { ${name} } from '${from}'\n`)
  })
  return `${imports.join('')}${code}\nexport {}\n`
}

it('the examples compile against the package', { timeout: 60_000 }, () => {
  assertBuilt()
  const folder = join(root, 'test', 'docs', 'examples-of-comments')
  const texts = new Map(
    examples().map((each, index) => [join(folder, `${each.name}-${index}.ts`), moduleOf(each)]),
  )
  texts.set(join(folder, 'globals.ts'), GLOBALS)
  // Against the declarations of the package, which lack what is internal, and not against the sources.
  expect(problemsIn([...texts.keys()], {}, texts)).toEqual([])
})
