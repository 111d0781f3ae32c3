import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findTopic, readTopic, topicNames } from '../../src/emulator/adapters/docs-pages.js'
import { partAbout } from '../../src/base/text/sections.js'
import { pages, root } from '../support/pages.js'

/** Code, comments and texts that name a page of the documentation. */

const folders = ['src', 'scenarios', '.build', 'bin']

const texts = folders.flatMap((folder) => {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:[cm]?[jt]sx?|ya?ml|json|html)$/.test(file))
    .map((file) => ({
      place: `${folder}/${file}`,
      text: readFileSync(join(root, folder, file), 'utf8'),
    }))
})

interface Mention {
  place: string
  topic: string
  anchor: string | undefined
}

function mentions(pattern: RegExp): Mention[] {
  return texts.flatMap(({ place, text }) => {
    return Array.from(text.matchAll(pattern), ([, topic = '', anchor]) => ({
      place,
      topic,
      anchor,
    }))
  })
}

/** The anchors of the headings of a page. */
function anchorsOf(topic: string): string[] {
  const { text } = pages().find(({ file }) => file === `docs/${topic}.md`)!
  return Array.from(text.matchAll(/^#{1,6} (.*)$/gm), ([, heading]) => {
    const plain = heading!.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    return plain.replaceAll(' ', '-')
  })
}

describe('a mention of the documentation', () => {
  const files = mentions(/\bdocs\/([\w/-]+)\.md(?:#([\w-]+))?/g)
  const commands = mentions(/svtrain-emulator docs ([a-z][\w/-]*)/g)

  it('is found', () => {
    expect(files.map(({ topic }) => topic)).toContain('explain/contract')
    expect(commands.map(({ topic }) => topic)).toContain('operations')
  })

  it('names a page that exists', () => {
    const topics = topicNames()
    const names = [...topics, 'reference/README']
    expect(files.filter(({ topic }) => !names.includes(topic))).toEqual([])
    const isHeading = (word: string): boolean => {
      return topics.some((topic) => partAbout(readTopic(topic), word) !== undefined)
    }
    const strangers = commands.filter(({ topic }) => findTopic(topic, topics) === undefined)
    expect(strangers.filter(({ topic }) => !isHeading(topic))).toEqual([])
  })

  it('names a section that exists', () => {
    const broken = files.filter(({ topic, anchor }) => {
      return anchor !== undefined && !anchorsOf(topic).includes(anchor)
    })
    expect(broken).toEqual([])
  })
})
