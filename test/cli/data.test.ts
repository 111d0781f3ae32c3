import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { endedInProcess, serveInProcess, type Served } from './in-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Serves on any free ports. */
function serve(cwd: string, ...args: string[]): Promise<Served> {
  return serveInProcess(['--port=0', '--inference-port=0', ...args], { cwd })
}

it('a world in a data folder continues with its scenario and seed, and so does an exported snapshot', async () => {
  const cwd = temporaryFolder()
  const kept = ['--data=world', '--export-on-exit=snapshot.json']
  await (await serve(cwd, ...kept, '--scenario=failing-job', '--seed=7')).stop()
  expect(existsSync(join(cwd, 'snapshot.json'))).toBe(true)
  for (const from of ['--data=world', '--import=snapshot.json']) {
    const { said, stop } = await serve(cwd, from)
    await stop()
    expect(said.stdout).toMatch(/Scenario +failing-job/)
    expect(said.stdout).toMatch(/Seed +7/)
  }
  await expect(serve(cwd, '--data=world', '--import=snapshot.json')).rejects.toThrow(
    /^It ended with 1:\nFailed to import the snapshot: its folder already contains a world\./,
  )
})

it('a world in a data folder is refused with one line that says why', async () => {
  const cwd = temporaryFolder()
  const running = await serve(cwd, '--data=world')
  await expect(serve(cwd, '--data=world')).rejects.toThrow(
    /^It ended with 1:\nFailed to open .*: process \d+ is using it\..*\n$/,
  )
  await running.stop()
  const file = join(cwd, 'world', 'world.ndjson')
  const damaged = readFileSync(file, 'utf8').replace('kind', 'kinb')
  writeFileSync(file, damaged)
  await expect(serve(cwd, '--data=world')).rejects.toThrow(
    /^It ended with 1:\nFailed to read .*: line 1 is damaged.*\n$/,
  )
  expect(readFileSync(file, 'utf8')).toBe(damaged)
  await expect(serve(cwd, '--data=world', '--isolate=api-key')).rejects.toThrow(
    /^It ended with 2:\n--data, --import and --export-on-exit save one world/,
  )
})

it.each([
  ['none/exported.json', 'ENOENT'],
  ['.', 'it is a folder'],
])('nothing starts if --export-on-exit %s cannot be written at its end', async (path, why) => {
  const cwd = temporaryFolder()
  const error: unknown = await serve(cwd, '--export-on-exit', path).catch(
    (caught: unknown) => caught,
  )
  expect(String(error)).toContain(`--export-on-exit cannot be written to ${path}: ${why}`)
  expect(String(error)).toContain('It takes a path in a folder that exists')
  expect(readdirSync(cwd)).toEqual([])
})

it('a start that fails leaves the file of --export-on-exit', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'world.json')
  writeFileSync(file, 'of an earlier run')
  await using other = createEmulator()
  const { port } = await other.listen()
  const proxy = ['--intercept', `--intercept-port=${port}`]
  await expect(serve(cwd, '--export-on-exit=world.json', ...proxy)).rejects.toThrow('in use')
  const command = ['exec', '--export-on-exit=world.json', '--bill=none.yaml', '--', 'true']
  expect((await endedInProcess(command, { cwd })).code).toBe(2)
  expect(readFileSync(file, 'utf8')).toBe('of an earlier run')
})

it('a start that fails because of the port of the sink leaves the data folder', async () => {
  const cwd = temporaryFolder()
  await using other = createEmulator()
  const { port } = await other.listen()
  const sink = ['--sink', `--sink-port=${port}`]
  await expect(serve(cwd, '--data=world', ...sink)).rejects.toThrow('in use')
  await (await serve(cwd, '--data=world')).stop()
})
