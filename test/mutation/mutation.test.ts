import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { Copy } from './copy.js'
import { instrumented, mutated } from './instrument.js'
import { Judge } from './judge.js'
import { mutantsOf } from './mutants.js'
import { readNotes } from './notes.js'
import { redraw } from './redraw.js'
import { entriesOf, find, keyOf, placedIn, SIZE, type Entry, type Placed } from './sample.js'
import { shared } from './share.js'
import { writeSurvivors } from './survivors.js'

const root = join(import.meta.dirname, '..', '..')

it('gives workers whole folders, and each mutant to one of them', () => {
  const entries = entriesOf(import.meta.dirname)
  const shares = shared(entries, 3)
  expect(shares.flat().sort((a, b) => a.id - b.id)).toEqual(entries)
  const folders = shares.map((share) => new Set(share.map(({ file }) => file.split('/')[1])))
  expect(folders.flatMap((each) => [...each])).toHaveLength(
    new Set(entries.map(({ file }) => file.split('/')[1])).size,
  )
  expect(Math.max(...shares.map(({ length }) => length))).toBeLessThan(SIZE / 2)
})

it('finds an entry again when lines come before it', () => {
  const text = 'export const first = (a: number) => a > 1\n'
  const [entry] = placedIn('a.ts', text).filter(({ kind }) => kind === 'boundary')
  const later = placedIn('a.ts', `const more = 1 > 2\n\n${text}`)
  expect(find({ id: 1, ...entry! }, later)).toMatchObject({ row: 3, kind: 'boundary' })
  expect(find({ id: 1, ...entry! }, placedIn('a.ts', text.replace('> 1', '> 7')))).toBeUndefined()
})

it('draws by a seed, and none of another list or of an old line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-mutation-'))
  try {
    mkdirSync(join(folder, 'src'))
    const lines = Array.from({ length: 20 }, (_, at) => `export const a${at} = () => ${at} + 1`)
    writeFileSync(join(folder, 'src', 'a.ts'), lines.join('\n'))
    const compiler = {
      write() {},
      async build() {},
      accepted: (all: readonly Placed[]) => [...all],
    }
    const draw = async (
      seed: number,
      not: readonly Entry[] = [],
      old: readonly string[] = [],
    ): Promise<Entry[]> => {
      const list = mkdtempSync(join(folder, 'list-'))
      const choice = { count: 9, seed, not, old: new Set(old) }
      await redraw(folder, compiler, join(list, 'sample.json'), choice)
      return entriesOf(list)
    }
    const first = await draw(1)
    expect(first).toHaveLength(9)
    expect(await draw(1)).toEqual(first)
    expect(await draw(2)).not.toEqual(first)
    const others = await draw(1, first)
    expect(new Set([...first, ...others].map(keyOf)).size).toBe(18)
    const newer = await draw(1, [], lines.slice(0, 10))
    expect(newer).toHaveLength(9)
    expect(lines.slice(10)).toEqual(expect.arrayContaining(newer.map(({ line }) => line)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it.each([
  ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) ;']],
  ['x = a < b', ['x = (a <= b)', 'x = (a >= b)', ';']],
  ['x = a ?? 1', ['x = (a)', 'x = (1)', 'x = a ?? (1 + 1)', ';']],
  ['x = { key: a?.b }', ['x = { ...{} }', 'x = { key: (a!.b) }', ';']],
  ["f(list.filter(isGood), 'two words')", ['f((list), "two words")', ';']],
  ['const f = () => true', ['const f = () => (undefined)', 'const f = () => (false)']],
])('makes the mistakes of %s', (text, expected) => {
  const made = mutantsOf('a.ts', text).map((mutant) => mutated(text, mutant).replaceAll("'", '"'))
  const plain = made.map((each) => each.replace(/^if \((\(true\)|\(false\))\)/, 'if $1'))
  expect(plain.sort()).toEqual([...expected].sort())
})

it('keeps what a person wrote about a survivor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-mutation-'))
  try {
    const page = join(folder, 'survivors.md')
    const placed = new Map(
      placedIn('a.ts', "const f = (a: number) => a > 1 || a < 'x|y'.length\n").map((each, id) => [
        id,
        each,
      ]),
    )
    const verdicts = [...placed.keys()].map((id) => ({
      id,
      killed: id === 0,
      byTime: false,
      reached: true,
    }))
    writeSurvivors(page, verdicts, placed)
    const edited = readFileSync(page, 'utf8').replace(
      'Not judged yet.',
      'Nothing can tell them apart.',
    )
    writeFileSync(page, edited)
    writeSurvivors(page, verdicts, placed)
    expect(readFileSync(page, 'utf8')).toBe(edited)
    expect(edited).toContain(`Tests killed 1 of ${placed.size} mutants`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('kills the mutants that a test notices, and no other', { timeout: 120_000 }, async () => {
  const text = [
    'export function price(count: number): number {',
    '  const most = 10 > count ? count : 10',
    '  return most * 2',
    '}',
    'export const unused = (): number => 1',
    "export const NAMES = ['a'].map((name) => name + 'b')",
  ].join('\n')
  const tests = `
    import { readFileSync } from 'node:fs'
    import { describe, expect, it } from 'vitest'
    import { NAMES, price } from '../../src/shop/price.js'
    it('doubles', () => expect(price(3)).toBe(6))
    describe('the source', () => {
      it('is short', () => expect(readFileSync('src/shop/price.ts', 'utf8')).toHaveLength(20))
    })
    it('has names', () => expect(NAMES).toEqual(['ab']))`
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-mutation-'))
  try {
    const placed = placedIn('src/shop/price.ts', text).map((each, id) => ({ ...each, id: id + 1 }))
    const write = (path: string, content: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
    write('src/shop/price.ts', instrumented(text, placed))
    write('test/shop/price.test.ts', tests)
    write('package.json', '{ "type": "module" }')
    cpSync(import.meta.dirname, join(folder, 'test', 'mutation'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    // It runs one mutant at a time where it can, and a whole process where the mutant is in code that
    // runs while modules load.
    const killers = { 2: 'test/shop/price.test.ts', 13: 'test/shop/price.test.ts' }
    const judge = new Judge(new Copy(root, folder), placed, { killers, say: () => {} })
    await judge.killers()
    expect(judge.verdicts().flatMap(({ id, killed }) => (killed ? id : []))).toEqual([2, 13])
    await judge.near()
    await judge.far()
    await judge.alone()
    // The test that reads the source is left out, and the others of its file count.
    const unsound = readNotes(join(folder, 'notes.ndjson')).filter((note) => {
      return note.type === 'unsound' && note.always === 0
    })
    expect(unsound).toEqual([])
    const verdicts = judge.verdicts().map(({ killed }, at) => {
      const { original, mutant } = placed[at]!
      return `${killed ? 'killed' : 'survived'}: ${original} -> ${mutant}`
    })
    expect(verdicts).toEqual([
      'survived: 10 > count -> true',
      'killed: 10 > count -> false',
      'survived: 10 > count -> 10 >= count',
      'killed: 10 > count -> 10 <= count',
      'survived: 10 -> 10 + 1',
      'survived: 10 -> 10 + 1',
      'killed: most * 2 -> undefined',
      'killed: most * 2 -> most / 2',
      'killed: 2 -> 2 + 1',
      'survived: 1 -> undefined',
      'survived: 1 -> 1 + 1',
      "killed: 'a' -> ''",
      "killed: name + 'b' -> undefined",
      "killed: 'b' -> ''",
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
