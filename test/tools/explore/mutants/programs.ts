import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExploredCode } from '../../../../src/explore.js'
import { nextTurn } from '../../../../src/base/clock/wall.js'

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

/** A text that stands in place of another one. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What the programs share. Each file imports only those before it. */
const shared = ['api', 'training'] as const

export function textOf(file: string): string {
  return readFileSync(join(folder, `${file}.mjs`), 'utf8')
}

/** Whether the webhooks of a program are worth an exploration. */
export function hasWebhooks(program: Program): boolean {
  return program === 'releases'
}

/** Loads a program, maybe with a change. Its waits take no time: they move the clock of the emulator. */
export async function load(
  program: Program,
  changed?: { readonly file: string; readonly change: Change },
): Promise<ExploredCode> {
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
