import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertBuilt, Command, start } from './command.js'
import { temporaryFolder } from '../support/temporary-folder.js'

beforeAll(assertBuilt)

describe('a world in a data folder', { timeout: 120_000 }, () => {
  it('continues with its scenario and seed, and so does an exported snapshot', async () => {
    const folder = temporaryFolder()
    const [data, file] = [join(folder, 'world'), join(folder, 'snapshot.json')]
    const kept = ['--data', data, '--export-on-exit', file]
    const first = start([...kept, '--scenario', 'failing-job', '--seed', '7'])
    await first.ready()
    first.process.kill('SIGTERM')
    expect(await first.ended()).toBe(0)
    expect(existsSync(file)).toBe(true)
    for (const from of [
      ['--data', data],
      ['--import', file],
    ]) {
      const next = start(from)
      await next.ready()
      expect(next.stdout).toMatch(/Scenario +failing-job/)
      expect(next.stdout).toMatch(/Seed +7/)
      next.process.kill('SIGTERM')
      await next.ended()
    }
    const both = start(['--data', data, '--import', file])
    expect(await both.ended()).toBe(1)
    expect(both.stderr).toMatch(
      /^Failed to import the snapshot: its folder already contains a world\./,
    )
  })

  it('is refused with one line that says why', async () => {
    const data = temporaryFolder()
    const running = start(['--data', data])
    await running.ready()
    const second = start(['--data', data])
    expect(await second.ended()).toBe(1)
    expect(second.stderr).toMatch(/^Failed to open .*: process \d+ is using it\..*\n$/)
    running.process.kill('SIGTERM')
    await running.ended()
    const file = join(data, 'world.ndjson')
    const damaged = readFileSync(file, 'utf8').replace('kind', 'kinb')
    writeFileSync(file, damaged)
    const third = start(['--data', data])
    expect(await third.ended()).toBe(1)
    expect(third.stderr).toMatch(/^Failed to read .*: line 1 is damaged.*\n$/)
    expect(readFileSync(file, 'utf8')).toBe(damaged)
    const isolated = new Command(['--data', data, '--isolate', 'api-key'])
    expect(await isolated.ended()).toBe(2)
    expect(isolated.stderr).toMatch(/^--data, --import and --export-on-exit save one world/)
  })

  it('does not start if the file of --export-on-exit cannot be written at its end', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'none', 'exported.json')
    for (const [path, why] of [
      [file, 'ENOENT'],
      [folder, 'it is a folder'],
    ] as const) {
      const command = new Command(['--export-on-exit', path])
      expect(await command.ended()).toBe(2)
      expect(command.stdout).toBe('')
      expect(command.stderr).toContain(`--export-on-exit cannot be written to ${path}: ${why}`)
      expect(command.stderr).toContain('It takes a path in a folder that exists')
    }
    expect(readdirSync(folder)).toEqual([])
  })
})
