import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExploredCode } from '../../../../src/explore.js'
import { nextTurn } from '../../../../src/base/clock/wall.js'
import { namesIn, part, placesIn, type Node } from './syntax.js'
import type { Change } from './operators.js'

const folder = join(import.meta.dirname, '..', 'loops', 'careful')

/** Careful loops, as users would write them. Each has something that the others do not have. */
export const programs = [
  'poems',
  'status',
  'best',
  'nightly',
  'metrics',
  'sft',
  'releases',
  'judged',
  'tools',
  'evaluate',
] as const

export type Program = (typeof programs)[number]

/** What the programs share. Each file imports only those before it. */
export const shared = ['api', 'training'] as const

/** A change of one file of a program. */
export interface ChangedFile {
  readonly file: string
  readonly change: Change
}

export function textOf(file: string): string {
  return readFileSync(join(folder, `${file}.mjs`), 'utf8')
}

/** The programs whose webhooks are worth an exploration. */
const RECEIVERS: ReadonlySet<string> = new Set<Program>(['releases'])

export function hasWebhooks(program: Program): boolean {
  return RECEIVERS.has(program)
}

/** Loads a program, maybe with a change. Its waits take no time: they move the clock of the emulator. */
export async function load(program: Program, changed?: ChangedFile): Promise<ExploredCode> {
  const urls = new Map<string, string>()
  for (const file of [...shared, program]) {
    let text = textOf(file)
    if (changed?.file === file) text = withChange(text, changed.change)
    for (const [name, url] of urls) text = text.replaceAll(`'./${name}.mjs'`, `'${url}'`)
    urls.set(file, `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)
  }
  const { default: main } = (await import(/* @vite-ignore */ urls.get(program)!)) as {
    default: (service: object) => Promise<void>
  }
  return ({ fetch, trainingUrl, inferenceUrl, apiKey, clock }, { sink, signal }) => {
    const sleep = async (ms: number): Promise<void> => {
      await nextTurn()
      signal.throwIfAborted()
      clock.advance(ms)
    }
    return main({ fetch, trainingUrl, inferenceUrl, apiKey, sink, sleep })
  }
}

export function withChange(text: string, { start, end, text: inserted }: Change): string {
  return text.slice(0, start) + inserted + text.slice(end)
}

/** Whether a program may come to a place of a shared file: what it mentions mentions it, and so on. */
export function reaches(program: Program, file: string, at: Pick<Node, 'start'>): boolean {
  const place = declared.find((each) => {
    return each.file === file && each.start <= at.start && at.start < each.end
  })
  return place?.names.some((name) => reachedBy(program).has(name)) === true
}

const reached = new Map<Program, Set<string>>()

/** All names that a program mentions, and that these mention. */
function reachedBy(program: Program): Set<string> {
  const known = reached.get(program)
  if (known) return known
  const names = namesIn(textOf(program))
  for (let before = -1; before !== names.size;) {
    before = names.size
    for (const each of declared) {
      if (each.names.some((name) => names.has(name)))
        for (const name of each.mentions) names.add(name)
    }
  }
  reached.set(program, names)
  return names
}

interface Declaration {
  readonly file: string
  readonly names: readonly string[]
  readonly mentions: ReadonlySet<string>
  readonly start: number
  readonly end: number
}

function declarationsIn(file: string): Declaration[] {
  const text = textOf(file)
  const { node: program } = placesIn(file, text)[0]!
  return (program['body'] as Node[]).flatMap((statement) => {
    const node = part(statement, 'declaration') ?? statement
    const named = [node, ...((node['declarations'] as Node[] | undefined) ?? [])]
    const names = named.flatMap((each) => {
      const id = part(each, 'id')
      return id ? [text.slice(id.start, id.end)] : []
    })
    const { start, end } = statement
    return names.length > 0
      ? [{ file, names, mentions: namesIn(text.slice(start, end)), start, end }]
      : []
  })
}

const declared = shared.flatMap(declarationsIn)
