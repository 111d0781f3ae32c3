import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { AT_START, builtFile, bytesAtStart, LATER, loadedFiles } from '../../.build/loaded-files.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, start } from './command.js'

/** A path that only the rows of the control API have. */
const hasControl = (file: string): boolean => builtFile(file).includes('/_emulator/called-hosts')

describe('The start of the command', () => {
  beforeAll(assertBuilt)

  it('loads no control API, which comes with its first call', () => {
    expect(loadedFiles('cli.js', AT_START).filter(hasControl)).toEqual([])
    expect(loadedFiles('cli.js', AT_START, LATER).filter(hasControl)).not.toEqual([])
  })

  it('reads few files, because each one takes a millisecond', () => {
    expect(loadedFiles('cli.js', AT_START).length).toBeLessThan(15)
  })

  it('reads files that take one byte for each character in memory', () => {
    const isAscii = (file: string): boolean => /^\p{ASCII}*$/u.test(builtFile(file))
    expect(loadedFiles('cli.js', AT_START).filter((file) => !isAscii(file))).toEqual([])
  })

  it('reads no more code than a run without calls needs', () => {
    // Twice what it reads now. `npm run build` prints the figure.
    expect(bytesAtStart('cli.js')).toBeLessThan(1_600_000)
  })

  it('loads no part of Node that only a later call needs', async () => {
    const script = join(temporaryFolder(), 'print.cjs')
    writeFileSync(script, `process.on('exit', () => console.log(process.moduleLoadList.join()))`)
    const command = start([], { env: { NODE_OPTIONS: `--require=${JSON.stringify(script)}` } })
    await command.ready()
    command.signal('SIGTERM')
    await command.ended()
    const loaded = command.lines
      .at(-1)!
      .split(',')
      .map((part) => part.replace('NativeModule ', ''))
    expect(loaded).toContain('http')
    const later = ['internal/deps/undici/undici', 'crypto', 'http2', 'zlib']
    expect(loaded.filter((part) => later.includes(part))).toEqual([])
  })
})
