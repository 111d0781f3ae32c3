import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findTopic, topicNames } from '../../src/emulator/adapters/docs-pages.js'
import { codeOf } from '../../src/emulator/adapters/process-warnings.js'
import { warnings, WARNINGS_PAGE, type WarningName } from '../../src/service/engine/warnings.js'
import { isShipped, root } from '../support/pages.js'
import { endedInProcess, type Ended } from './in-process.js'
import { text } from './parsed.js'

function pageOf(file: string): string {
  return readFileSync(join(root, 'docs', file), 'utf8').trimEnd()
}

function searched(words: string): Promise<Ended> {
  return endedInProcess(['docs', '--search', words], { cwd: root })
}

describe('svtrain-emulator docs', () => {
  it('lists the pages of llms.txt in its sections, each in one line', async () => {
    const [list, help] = (await text('docs')).split('\n\nPrint a page: ')
    expect(help).toContain('docs --search <words>')
    const sections = list!.split('\n\n').map((section) => section.split('\n'))
    expect(sections.map(([title]) => title)).toContain('Decide what happens:')
    const lines = sections.flatMap(([, ...entries]) => entries)
    const topics = lines.map((line) => /^ {2}(\S+) {2,}\S/.exec(line)?.[1] ?? line)
    expect(topics.filter((topic) => !topicNames().includes(topic))).toEqual([])
    // The reference comes last.
    const isOfReference = topicNames().map((topic) => Number(topic.startsWith('reference')))
    expect(isOfReference).toEqual(isOfReference.toSorted((one, other) => one - other))
    // A page of the TypeScript API is in the list of that reference.
    const shipped = topicNames().filter((topic) => isShipped(`docs/${topic}.md`))
    const others = shipped.filter((topic) => !topics.includes(topic))
    expect(others.filter((topic) => !topic.startsWith('reference/api/'))).toEqual([])
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
  })

  it.each(['testing', 'testing.md', 'docs/how-to/testing.md', './docs/testing.md', 'Testing'])(
    'prints a page: %s',
    async (topic) => {
      expect(await text(`docs ${topic}`)).toBe(pageOf('how-to/testing.md'))
    },
  )

  it.each(['testing#client-checks', '../how-to/testing.md#client-checks'])(
    'prints the section that a link of a page ends with: %s',
    async (link) => {
      expect(await text(`docs ${link}`)).toMatch(/^### Client checks\n(?!.*^### )/ms)
      expect(await text(`docs ${link}-of-old`)).toBe(pageOf('how-to/testing.md'))
    },
  )

  it('prints the part about warnings, which has each of them', async () => {
    const part = await text(`docs ${WARNINGS_PAGE}`)
    expect(part).toMatch(/^## Warnings\n/)
    const names = Object.keys(warnings) as WarningName[]
    expect(names.filter((name) => !part.includes(`\`${codeOf(name)}\``))).toEqual([])
  })

  it.each(['reference/cli', 'cli', 'docs/reference/cli.md'])(
    'prints a page of the reference, without the comment for editors: %s',
    async (topic) => {
      const page = await text(`docs ${topic}`)
      expect(page).toMatch(/^# Command line\n/)
      expect(pageOf('reference/cli.md')).toContain(page)
    },
  )

  it.each(['reference', 'reference/README', 'docs/reference/README.md'])(
    'prints the list of the reference: %s',
    async (topic) => {
      expect(await text(`docs ${topic}`)).toMatch(/^# Reference\n/)
    },
  )

  // The pages of 0.2, which lay in one folder.
  it.each<readonly [earlier: string, now: string]>([
    ['getting-started', 'start/server'],
    ['persistence', 'how-to/keep-state'],
    ['python', 'start/python'],
    ['recording', 'how-to/record'],
    ['reports', 'how-to/share-a-failure'],
    ...'assistants bill chat ci clients control crashes dashboard editors explore faults'
      .concat(' scenarios sink testing troubleshooting webhooks')
      .split(' ')
      .map((topic) => [topic, `how-to/${topic}`] as const),
    ...'benchmarks clocks contract fidelity jobs security'
      .split(' ')
      .map((topic) => [topic, `explain/${topic}`] as const),
    ['contributing', 'contributing'],
    ['releases', 'releases'],
  ])('prints the page that an earlier version called %s', (topic, now) => {
    expect(findTopic(topic, topicNames())).toBe(now)
    expect(findTopic(`docs/${topic}.md`, topicNames())).toBe(now)
  })

  it('prefers a page about a task to the reference of the same name', async () => {
    expect(await text('docs scenarios')).toBe(pageOf('how-to/scenarios.md'))
    expect(await text('docs reference/scenarios')).toMatch(/^# Built-in scenarios\n/)
  })

  it.each([
    ['testin', 'testing'],
    ['clii', 'cli'],
    ['reference/clii', 'reference/cli'],
    ['how-to/testin', 'how-to/testing'],
    ['webhook', 'webhooks'],
  ])('suggests the nearest topic: %s', async (written, near) => {
    await expect(text(`docs ${written}`)).rejects.toThrow(
      `Unknown topic "${written}". Did you mean "${near}"? Topics: start/exec, `,
    )
  })

  it.each(['idempotent', 'Idempotent'])(
    'prints the part of a page with a word in its heading: %s',
    async (word) => {
      const printed = await text(`docs ${word}`)
      expect(printed).toMatch(/^## An idempotent receiver\n/)
      expect(printed).toContain('**A delivery says when to look. The API says what there is.**')
      expect(printed).toMatch(/\n\nFrom the page "how-to\/webhooks"\.$/)
      expect(printed.match(/^#+ /gm)).toHaveLength(1)
    },
  )

  it('does not know a topic that no page and no heading has', async () => {
    expect(await text('docs resume')).toMatch(/^start\/exec {2}Your own program$/m)
    await expect(text('docs zebras')).rejects.toThrow('Unknown topic "zebras". Topics: ')
  })

  it('finds the sections with all words, in any case', async () => {
    const printed = await text('docs --search check-receiver')
    expect(printed.split('\n')).toContain('reference/cli  check-receiver')
    expect(await text('docs --search CHECK-RECEIVER')).toBe(printed)
    expect(Math.max(...printed.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120)
  })

  it.each([
    ['which job trained checkpoint', 'how-to/on-call'],
    ['receiver answers 500', 'how-to/on-call'],
    ['connection refused webhook', 'how-to/troubleshooting'],
    ['chat gets no answer', 'how-to/troubleshooting'],
  ])('finds a symptom in the words of who has it: %s', async (words, page) => {
    const [first] = (await searched(words)).stdout.split('\n')
    expect(first).toMatch(new RegExp(`^${page} `))
  })

  it.each([
    ['why does my webhook not arrive?', 'how-to/troubleshooting'],
    ['which job trained a checkpoint', 'how-to/on-call'],
    ['receiver answers 401', 'how-to/troubleshooting'],
    ['is my port taken', 'how-to/troubleshooting'],
    ['was a job submitted twice?', 'how-to/on-call'],
    ['share a failing run with a colleague', 'how-to/share-a-failure'],
    ['training job stuck in the queue', 'how-to/faults'],
    ['keep the state after a restart', 'how-to/keep-state'],
    ['my loss is NaN', 'how-to/dashboard'],
    ['how do I run tests in parallel', 'how-to/ci'],
    ['what will this run cost', 'how-to/bill'],
    ['signature verification fails', 'how-to/webhooks'],
    ['does my loop survive a crash', 'how-to/crashes'],
    ['recording the real service', 'how-to/record'],
    ['isolate tests by key', 'explain/worlds'],
    ['connecting a coding assistant over MCP', 'how-to/assistants'],
    ['how can a test skip time?', 'how-to/testing'],
    ['where are secrets hidden', 'explain/security'],
  ])('has the page that answers a question among the first three: %s', async (words, page) => {
    const found = (await text(`docs --search ${words}`)).split('\n')
    const topics = found.filter((line) => /^\S/.test(line)).map((line) => line.split(' ', 1)[0])
    expect(topics.slice(0, 3)).toContain(page)
  })

  it.each([
    ['docs cli --search api key', 'docs cli --search "api key"'],
    ['docs --search webhooks faults jobs', 'docs --search "webhooks faults jobs"'],
  ])('takes all words behind --search for the query: %s', async (line, quoted) => {
    const [before, words] = quoted.split(/ --search "|"/)
    const args = [...before!.split(' '), '--search', words!]
    const { stdout } = await endedInProcess(args, { cwd: root })
    expect(`${await text(line)}\n`).toBe(stdout)
  })

  it('refuses several topics without --search, and says how to search', async () => {
    await expect(text('docs rate limit')).rejects.toThrow(
      'docs takes one topic, not "rate limit". Search with: docs --search rate limit',
    )
  })

  it('searches one page', async () => {
    const found = (await text('docs cli --search snapshot')).split('\n')
    const topics = found.filter((line) => /^\S/.test(line) && !line.startsWith('…'))
    expect(topics.length).toBeGreaterThan(2)
    expect(topics.filter((line) => !line.startsWith('reference/cli  '))).toEqual([])
  })

  it('takes a word behind a search that is no topic for another word', async () => {
    const printed = await text('docs --search judge rules')
    expect(printed.split('\n')[0]).toBe('how-to/chat  A judge')
  })

  it('finds what has most of the words if nothing has all, and says so', async () => {
    const { code, stdout, stderr } = await searched('judge rules qqzz')
    expect(code).toBe(0)
    expect(stderr).toBe(
      'No section has all of these words: judge, rules, qqzz. These have most of them:\n',
    )
    expect(stdout).toMatch(/^how-to\/chat {2}A judge$/m)
  })

  it('exits with 1 if nothing has the words', async () => {
    expect(await searched('testing qqzz')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No page has a section with all of these words: testing, qqzz. Try fewer words.\n',
    })
  })
})
