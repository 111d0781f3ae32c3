import { beforeAll, describe, expect, it } from 'vitest'
import { assertBuilt } from '../../cli/command.js'
import { AT_START, builtFile, LATER, loadedFiles } from '../../../.build/loaded-files.js'

const hasMcp = (file: string): boolean => builtFile(file).includes('modelcontextprotocol')

describe('The package', () => {
  beforeAll(assertBuilt)

  it.each(['cli.js', 'index.js', 'browser.js', 'msw.js', 'vitest.js', 'client.js'])(
    'loads nothing of MCP at the start of %s',
    (entry) => {
      expect(loadedFiles(entry, AT_START).filter(hasMcp)).toEqual([])
    },
  )

  it('loads MCP in the command and in emulators, and never in a browser', () => {
    expect(loadedFiles('cli.js', AT_START, LATER).filter(hasMcp)).not.toEqual([])
    expect(loadedFiles('index.js', AT_START, LATER).filter(hasMcp)).not.toEqual([])
    expect(loadedFiles('browser.js', AT_START, LATER).filter(hasMcp)).toEqual([])
  })

  it('has no validator for the forms that the server does not have', () => {
    for (const file of loadedFiles('cli.js', AT_START, LATER).filter(hasMcp)) {
      expect(builtFile(file)).not.toContain('json-schema.org/draft-07')
      expect(builtFile(file).length).toBeLessThan(230_000)
    }
  })
})
