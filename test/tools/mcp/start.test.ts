import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertBuilt } from '../../cli/command.js'

const dist = join(import.meta.dirname, '..', '..', '..', 'dist')

/** The text of a file of the package. */
function read(file: string): string {
  return readFileSync(join(dist, file), 'utf8')
}

const AT_START = /(?:from|import) ?["'`]\.\/([\w-]+\.js)["'`]/g
const LATER = /import\(["'`]\.\/([\w-]+\.js)["'`]\)/g

/** A file of the package and all files that it imports, at any depth. */
function filesOf(entry: string, ...patterns: readonly RegExp[]): string[] {
  const found = new Set([entry])
  for (const file of found) {
    const text = read(file)
    for (const pattern of patterns) for (const [, next] of text.matchAll(pattern)) found.add(next!)
  }
  return [...found]
}

const hasMcp = (file: string): boolean => read(file).includes('modelcontextprotocol')

describe('The package', () => {
  beforeAll(assertBuilt)

  it.each(['cli.js', 'index.js', 'browser.js', 'msw.js', 'vitest.js', 'client.js'])(
    'loads nothing of MCP at the start of %s',
    (entry) => {
      expect(filesOf(entry, AT_START).filter(hasMcp)).toEqual([])
    },
  )

  it('loads MCP in the command and in emulators, and never in a browser', () => {
    expect(filesOf('cli.js', AT_START, LATER).filter(hasMcp)).not.toEqual([])
    expect(filesOf('index.js', AT_START, LATER).filter(hasMcp)).not.toEqual([])
    expect(filesOf('browser.js', AT_START, LATER).filter(hasMcp)).toEqual([])
  })

  it('has no validator for the forms that the server does not have', () => {
    for (const file of filesOf('cli.js', AT_START, LATER).filter(hasMcp)) {
      expect(read(file)).not.toContain('json-schema.org/draft-07')
      expect(read(file).length).toBeLessThan(230_000)
    }
  })
})
