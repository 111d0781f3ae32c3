import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, it, describe } from 'vitest'
import { readTopic, topicNames } from '../../src/emulator/adapters/docs-pages.js'
import { plain } from '../../src/cli/failure/lines.js'
import { scenarioErrorLines } from '../../src/cli/report/scenario-problems.js'
import { markdownLines } from '../../src/cli/report/markdown-lines.js'
import { cut, fitted, widthOf, wrapped } from '../../src/cli/text-width.js'
import { reportText } from '../../src/cli/tools/play/report-text.js'
import { ScenarioError } from '../../src/service/scenario/scenario-error.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { played } from '../tools/play/played.js'
import { endedInProcess } from './in-process.js'
import { wideLines, writeFilesForLines } from './wide-lines.js'

const widths = [60, 80, 120, 200]

describe('a line', () => {
  it('breaks at spaces, with an indent', () => {
    const text = 'one two three four five six seven'
    expect(wrapped(text, 24, 2)).toEqual(['one two three four five', '  six seven'])
    expect(wrapped(text, undefined, 2)).toEqual([text])
  })

  it('breaks inside of a word that is longer than a line', () => {
    const path = `/v1/${'x'.repeat(40)}`
    expect(wrapped(`GET ${path} 200`, 30, 4)).toEqual([
      `GET /v1/${'x'.repeat(22)}`,
      `    ${'x'.repeat(18)} 200`,
    ])
  })

  it('breaks between characters, wherever they have two columns or two halves', () => {
    expect(wrapped(`${'😀'.repeat(20)} 模型${'型'.repeat(20)}`, 25, 0)).toEqual([
      '😀'.repeat(12),
      `${'😀'.repeat(8)} 模型型型`,
      '型'.repeat(12),
      '型'.repeat(6),
    ])
  })

  it('keeps URLs whole, so that terminals can open them', () => {
    const url = `http://127.0.0.1/${'x'.repeat(40)}`
    expect(wrapped(`see ${url} there`, 30, 2)).toEqual(['see', `  ${url}`, '  there'])
  })

  it('loses and repeats nothing, however long its words are', () => {
    const words = fc.array(fc.stringMatching(/^(?:http:\/\/)?[a-z]{1,90}$/), {
      minLength: 1,
      maxLength: 9,
    })
    fc.assert(
      fc.property(words, fc.integer({ min: 22, max: 60 }), (some, columns) => {
        const lines = wrapped(some.join(' '), columns, 2)
        expect(lines.join('').replaceAll(' ', '')).toBe(some.join(''))
        expect(lines).not.toContain('')
        const tooLong = lines.filter((line) => widthOf(line) > columns)
        // A URL alone.
        for (const line of tooLong) expect(line).toMatch(/^ *http:\S+$/)
      }),
    )
  })

  it('is cut with an ellipsis, by the columns that it takes', () => {
    expect(cut('abcdef', 4)).toBe('abc…')
    expect(cut('模型模型', 5)).toBe('模型…')
    expect(widthOf('\u001b[31mred\u001b[39m')).toBe(3)
  })
})

const paint = (_style: unknown, text: string): string => text

describe('Markdown in a terminal', () => {
  it('has wrapped texts and lists, and tables with cells of several lines', () => {
    const markdown = [
      '# Title',
      '',
      '- An item of a list that is too long for one line.',
      '',
      '| name | what it does                            |',
      '| ---- | --------------------------------------- |',
      '| one  | It stops the emulator \\| and everything. |',
      '| two  | Nothing                                 |',
      '',
      '```sh',
      'a command that is longer than the whole terminal',
      '```',
    ]
    expect(markdownLines(markdown.join('\n'), { paint, columns: 32 })).toEqual([
      '# Title',
      '',
      '- An item of a list that is too',
      '  long for one line.',
      '',
      'name  what it does',
      '────  ──────────────────────────',
      'one   It stops the emulator |',
      '      and everything.',
      '',
      'two   Nothing',
      '',
      '```sh',
      'a command that is longer than the whole terminal',
      '```',
    ])
  })

  it('has a warning in a box', () => {
    const markdown = '> [!WARNING]\n> The loop calls the real service.\n\nText'
    expect(markdownLines(markdown, { paint, columns: 22 })).toEqual([
      '│ WARNING',
      '│ The loop calls the',
      '│ real service.',
      '',
      'Text',
    ])
  })

  it('has no empty line below a word that fits its column exactly', () => {
    const table = ['| a | b |', '| - | - |', '| x thirteen-wide | y |']
    expect(markdownLines(table.join('\n'), { paint, columns: 16 })).toEqual([
      'a              b',
      '─────────────  ─',
      'x              y',
      'thirteen-wide',
    ])
  })

  it('keeps a table that fits', () => {
    const table = ['| a | b |', '| - | - |', '| 1 | 2 |']
    expect(markdownLines(table.join('\n'), { paint, columns: 60 })).toEqual(table)
  })

  it.each(widths)('of every page fits into %i columns, except code', (columns) => {
    for (const topic of topicNames()) {
      const isCode = codeOf(readTopic(topic))
      const lines = markdownLines(readTopic(topic), { paint, columns })
      const tooWide = lines.filter((line) => widthOf(line) > columns && !isCode(line))
      expect({ topic, tooWide: tooWide.filter((line) => !line.includes('://')) }).toEqual({
        topic,
        tooWide: [],
      })
    }
  })

  /** Whether a line is in a block of code. */
  function codeOf(page: string): (line: string) => boolean {
    const blocks = page.match(/^ *```[^]*?^ *```$/gm) ?? []
    const lines = new Set(blocks.flatMap((block) => block.split('\n')))
    return (line) => lines.has(line)
  }
})

it('an error fits, and its lines keep their indent', () => {
  const text = 'It failed.\n  one two three four five six seven eight'
  expect(fitted(text, 30)).toEqual(['It failed.', '  one two three four five six', '  seven eight'])
  expect(fitted(text, undefined)).toEqual(text.split('\n'))
})

describe.each(widths)('with %i columns', (columns) => {
  const widest = (text: string): number => Math.max(...text.split('\n').map(widthOf))

  const terminal = { paint, columns: () => columns }

  it('the report of play fits, and its sparklines use the room', async () => {
    const text = reportText(await played('long-run'), terminal)
    expect(widest(text)).toBeLessThanOrEqual(columns)
    const [sparkline] = /[▁▂▃▄▅▆▇█]{8,}/.exec(stripVTControlCharacters(text))!
    expect(sparkline.length).toBeGreaterThan(Math.min(60, columns - 45))
  })

  it('what commands print fits', async () => {
    const printed = await printedAt(columns)
    expect(printed).toContain('Run it again:')
    expect(printed.split('\n').filter((line) => widthOf(line) > columns)).toEqual([])
  })

  it('the errors of a scenario fit', () => {
    const file = join(temporaryFolder(), 'a.yaml')
    writeFileSync(file, `name: mine\n${'x'.repeat(300)}: 1\n`)
    const message = `unknown key. Known here: ${'name, '.repeat(30)}and others.`
    const problem = { place: 'key', message, file, line: 2, column: 1 }
    const lines = scenarioErrorLines(new ScenarioError('It is wrong', [problem]), terminal)
    expect(widest(lines.join('\n').replaceAll(file, 'a.yaml'))).toBeLessThanOrEqual(columns)
  })
})

it('a problem without a column is at the first one', () => {
  const error = new ScenarioError('It is wrong', [
    { place: '', message: 'no', file: 'a.yaml', line: 2 },
  ])
  expect(error.message).toBe('It is wrong:\n  a.yaml:2:1 no')
  expect(scenarioErrorLines(error, plain)).toContain('  a.yaml:2:1 no')
})

/** Runs all lines in a terminal of this width, and returns its text without colors. */
async function printedAt(columns: number): Promise<string> {
  const cwd = temporaryFolder()
  writeFilesForLines(cwd)
  let text = ''
  for (const words of wideLines) {
    const env = { TERM: 'xterm-256color' }
    const { stdout, stderr } = await endedInProcess(words, { cwd, env, columns })
    text += stdout + stderr
  }
  return stripVTControlCharacters(text)
}
