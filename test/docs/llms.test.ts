import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../cli/commands.js'
import { isShipped, pages, root } from '../support/pages.js'

/** llms.txt has the form of https://llmstxt.org, and lists every page of the npm package. */

const text = readFileSync(join(root, 'llms.txt'), 'utf8')
const [top = '', ...sections] = text.split(/^## /m)
const entries = sections.flatMap((section) => section.split('\n').slice(1).filter(Boolean))
const links = entries.map((entry) => /^- \[[^\]]+\]\(([^)]+)\): \S/.exec(entry)?.[1] ?? entry)

/** The pages of one API have a list of their own. */
const API = join('docs', 'reference', 'api')

/** The skill leads to these pages. */
const OF_SKILLS = /^skills.*references/

it('llms.txt begins with a title and a summary', () => {
  expect(top).toMatch(/^# svtrain-emulator\n\n> .+\n\n/)
  expect(top).not.toMatch(/^#{2,}/m)
})

it('llms.txt has sections that are lists of links with notes', () => {
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([])
  expect(links.filter((link, index) => links.indexOf(link) !== index)).toEqual([])
})

it('llms.txt lists every page of the npm package', () => {
  const files = pages().flatMap(({ file }) => (isShipped(file) ? [file] : []))
  const own = files.filter((file) => {
    return (!file.startsWith(API) && !OF_SKILLS.test(file)) || file === join(API, 'README.md')
  })
  const missing = own.filter((file) => {
    return !['README.md', 'docs/README.md', 'llms.txt'].includes(file) && !links.includes(file)
  })
  expect(missing, 'A new page needs a line in llms.txt').toEqual([])
})

it('every page of llms.txt is a topic of the command `docs`', async () => {
  const topics = links.flatMap((link) => /^docs\/(.*)\.md$/.exec(link)?.[1] ?? [])
  expect(topics.length).toBeGreaterThan(20)
  for (const topic of topics) {
    const { code, stdout } = await run(`docs ${topic}`)
    const page = readFileSync(join(root, 'docs', `${topic}.md`), 'utf8')
    const shown = page.replace(/^<!-- .* -->\n/, '').trim()
    expect({ topic, code, stdout: stdout.trim() }).toEqual({ topic, code: 0, stdout: shown })
  }
})
