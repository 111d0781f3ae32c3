import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { partAbout } from '../../src/base/text/sections.js'
import { findTopic, readTopic, topicNames } from '../../src/emulator/adapters/docs-pages.js'
import { isShipped, pages, proseOf, root, type Page } from '../support/pages.js'

/** Images are in the npm package, too. */
const MOST_BYTES = 200_000

/** Returns the addresses of the links and images of a page, also those in HTML. */
function linksOf(page: Page): string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, (code) => (code.includes('](') ? '' : code))
  const links = Array.from(
    prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g),
    ([, address]) => address!,
  )
  const inHtml = Array.from(prose.matchAll(/(?:src|href)="([^"]+)"/g), ([, address]) => address!)
  return [...links, ...inHtml]
}

function isExternal(address: string): boolean {
  return /^[a-z]+:/.test(address)
}

/** The anchors of each file that a link leads to. Hundreds of links lead to the same page. */
const anchors = new Map<string, ReadonlySet<string>>()

/** Returns the anchors of a file: its headings in the form that GitHub gives them, and its HTML ids. */
function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchors.get(file) ?? anchorsIn(readFileSync(join(root, file), 'utf8'))
  anchors.set(file, known)
  return known
}

function anchorsIn(text: string): ReadonlySet<string> {
  const prose = proseOf({ file: '', text, isGenerated: false })
  const seen = new Map<string, number>()
  const headings = Array.from(prose.matchAll(/^#{1,6} (.*)$/gm), ([, heading]) => {
    const slug = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
  const ids = Array.from(prose.matchAll(/(?:id|name)="([^"]+)"/g), ([, id]) => id!)
  return new Set([...headings, ...ids])
}

/** The path in the repository that a link leads to. */
function targetOf(page: Page, address: string): string {
  const [path = ''] = address.split('#')
  return path === '' ? page.file : relative(root, join(root, dirname(page.file), path))
}

function whyBroken(page: Page, address: string): string | undefined {
  if (isExternal(address)) return URL.canParse(address) ? undefined : 'is not a URL'
  const target = targetOf(page, address)
  if (target.startsWith('..')) return 'leads out of the repository'
  if (!existsSync(join(root, target))) return 'leads to no file'
  const [, anchor] = address.split('#')
  if (anchor === undefined || anchorsOf(target).has(anchor)) return undefined
  return 'leads to no heading'
}

describe.each(pages())('$file', (page) => {
  it('has links that lead somewhere', () => {
    const broken = linksOf(page).flatMap((address) => {
      const why = whyBroken(page, address)
      return why === undefined ? [] : [`${address} ${why}`]
    })
    expect(broken).toEqual([])
  })

  it.runIf(isShipped(page.file))('links only to what is in the npm package', () => {
    const local = linksOf(page).filter((address) => !isExternal(address))
    const missing = local.filter((address) => !isShipped(targetOf(page, address)))
    expect(missing).toEqual([])
  })

  it('has a text for each image, and images that are small', () => {
    expect(proseOf(page)).not.toMatch(/!\[\]\(|<img(?![^>]*\balt=)/)
    const images = linksOf(page).filter((address) => /\.(?:png|svg|gif|jpe?g)$/.test(address))
    const large = images
      .filter((address) => !isExternal(address))
      .map((address) => join(root, targetOf(page, address)))
      .filter((path) => existsSync(path) && statSync(path).size > MOST_BYTES)
    expect(large).toEqual([])
  })
})

it('the npm package has every page but those for work on the emulator', () => {
  const left = pages().filter(({ file }) => !isShipped(file))
  expect(left.map(({ file }) => file)).toEqual([
    'docs/contributing.md',
    'docs/explain/benchmarks.md',
  ])
})

it('every page of the npm package can be reached from the README', () => {
  const all = new Map(pages().map((page) => [page.file, page]))
  const reached = new Set(['README.md'])
  for (const file of reached) {
    for (const address of linksOf(all.get(file)!)) {
      const target = targetOf(all.get(file)!, address)
      if (all.has(target)) reached.add(target)
    }
  }
  const isForPeople = (file: string): boolean => !['AGENTS.md', 'llms.txt'].includes(file)
  const missed = [...all.keys()].filter((file) => {
    return isForPeople(file) && isShipped(file) && !reached.has(file)
  })
  expect(missed, 'A new page needs a link in README.md or on a page').toEqual([])
})

describe('a page that code, a comment or a message names', () => {
  const texts = ['src', 'scenarios', '.build', 'bin'].flatMap((folder) => {
    return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:[cm]?[jt]sx?|ya?ml|json|html)$/.test(file))
      .map((file) => ({
        file: `${folder}/${file}`,
        text: readFileSync(join(root, folder, file), 'utf8'),
      }))
  })

  it('exists, with its section', () => {
    const broken = texts.flatMap(({ file, text }) => {
      const named = [...text.matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)]
      return named.flatMap(([address]) => {
        const page: Page = { file: 'README.md', text: '', isGenerated: false }
        const why = whyBroken(page, address)
        return why === undefined ? [] : `${file}: ${address} ${why}`
      })
    })
    expect(broken).toEqual([])
  })

  it('is a topic of the command `docs`, or has a heading for it', () => {
    const topics = topicNames()
    const called = texts.flatMap(({ file, text }) =>
      Array.from(text.matchAll(/svtrain-emulator docs ([a-z][\w/-]*)/g), ([, word = '']) => ({
        file,
        word,
      })),
    )
    expect(called.map(({ word }) => word)).toContain('operations')
    const strangers = called.filter(({ word }) => {
      const isHeading = (topic: string): boolean => partAbout(readTopic(topic), word) !== undefined
      return findTopic(word, topics) === undefined && !topics.some(isHeading)
    })
    expect(strangers).toEqual([])
  })
})
