import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startTimeOf } from '../../../src/emulator/adapters/folder-lock.js'
import { createOwnFolder } from '../../../src/emulator/adapters/own-folder.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const { pid, ppid } = process
const { pid: endedPid } = spawnSync(process.execPath, ['--version'])
const isRoot = process.getuid?.() === 0
const hasStartTimes = existsSync('/proc/self/stat')

let folder: string
/** The name of a folder of another process, after its purpose. */
let nameOf: (owner: number, startTime?: string, namespace?: string) => string

beforeEach(() => {
  folder = temporaryFolder()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const own = createOwnFolder('own')
  const [, , , , start, namespace] = basename(own.path).split('-')
  own.remove()
  nameOf = (owner, startTime = start!, within = namespace!) =>
    `svtrain-emulator-logins-${owner}-${startTime}-${within}-aB3dEf`
})

function make(name: string): void {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'netrc'), 'machine a.test password secret')
}

/** What is left after the next start. */
function leftByTheNext(): string[] {
  createOwnFolder('next').remove()
  return readdirSync(folder)
}

describe.skipIf(process.platform === 'win32')('a temporary folder of a process', () => {
  it('needs the folder for temporary files', () => {
    vi.stubEnv('TMPDIR', join(folder, 'none'))
    expect(() => createOwnFolder('logins')).toThrow(
      /^The temporary folder .+none is missing, or takes no files\. ENOENT: .+ Name another folder: export TMPDIR=\$HOME\/tmp$/,
    )
  })

  it('is for its user only, and is removed with its files', () => {
    const own = createOwnFolder('logins')
    expect(statSync(own.path).mode & 0o777).toBe(0o700)
    writeFileSync(join(own.path, 'netrc'), '')
    own.remove()
    expect(readdirSync(folder)).toEqual([])
  })

  it('is removed at the next start if its process was killed', () => {
    make(nameOf(endedPid))
    make(nameOf(endedPid).replace('logins', 'intercept'))
    expect(leftByTheNext()).toEqual([])
  })

  it('stays while its process runs', () => {
    const own = createOwnFolder('logins')
    make(nameOf(ppid, startTimeOf(ppid)))
    expect(leftByTheNext()).toHaveLength(2)
    own.remove()
  })

  it.skipIf(!hasStartTimes)('is removed if another process has the number now', () => {
    make(nameOf(ppid, '1'))
    make(nameOf(pid, '1'))
    expect(leftByTheNext()).toEqual([])
  })

  it('stays if its process is in another container', () => {
    const name = nameOf(endedPid, '1', '4026599999')
    make(name)
    expect(leftByTheNext()).toEqual([name])
  })

  it.skipIf(!isRoot)('stays if it is of another user', () => {
    const name = nameOf(endedPid)
    make(name)
    chownSync(join(folder, name), 65_534, 65_534)
    expect(leftByTheNext()).toEqual([name])
  })

  it('is a folder with such a name: links, files and other names stay', () => {
    const others = join(folder, 'others')
    mkdirSync(others)
    writeFileSync(join(others, 'thesis.txt'), 'all of it')
    symlinkSync(others, join(folder, nameOf(endedPid)))
    writeFileSync(join(folder, nameOf(endedPid, '1')), '')
    for (const name of ['svtrain-emulator-notes', `svtrain-emulator-${endedPid}`]) make(name)
    expect(leftByTheNext()).toHaveLength(5)
    expect(readdirSync(others)).toEqual(['thesis.txt'])
  })
})
