import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertStateFolder, copyState, printOf } from '../../src/cli/tools/explore/state-copy.js'
import { rehearsalOf } from '../../src/cli/tools/explore/rehearsal.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt } from './command.js'
import { client } from './explored-program.js'
import { endedInProcess } from './in-process.js'

beforeAll(assertBuilt)

/** Stores the step that it has done in a file, after the job. It also starts a process of its own. */
const careless = `${client}
  import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
  import { spawn } from 'node:child_process'
  spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }).unref()
  mkdirSync('kept/here', { recursive: true })
  const file = 'kept/here/step'
  const { id } = await call('models', { ...model, return_existing: true })
  const done = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  console.log('begins with step', done)
  for (let step = done; step < 2; step++) {
    const trajectory_groups = [{ trajectories: [{ reward: step }, { reward: -1 }] }]
    await call('training-jobs', { model_id: id, trajectory_groups })
    writeFileSync(file, String(step + 1))
  }
`

describe('explore --crash', { timeout: 120_000 }, () => {
  it('kills a command with all that it started, and names the kill that it does not survive', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'loop.mjs'), careless)
    const at = 'createRlTrainingJob:2:before'
    const options = ['--crash-at', at, '--state', 'kept']
    const args = ['explore', ...options, '--', process.execPath, 'loop.mjs']
    const { code, stdout } = await endedInProcess(args, { cwd: folder })
    expect(code).toBe(1)
    expect(stdout).toContain('Failure 1: a batch is trained twice after a restart (failed, 1 run)')
    expect(stdout).toMatch(
      /^ {2}Killed before the answer to call 2 of createRlTrainingJob\. Batch 2 was trained twice instead of once: jobs /m,
    )
    expect(stdout).toContain(`explore --seed 1 --crash-at ${at} --state kept -- `)
    // The command worked on copies.
    expect(existsSync(join(folder, 'kept'))).toBe(false)
    expect(readdirSync(join(folder, 'explore-report'))).toHaveLength(1)
    const [log] = readdirSync(join(folder, 'explore-report'))
    const text = readFileSync(join(folder, 'explore-report', log!), 'utf8')
    expect(text).toContain(
      'begins with step 0\n\n… killed, and started again\nbegins with step 1\n',
    )
    expect(text).toContain(`explore: the program was killed before the answer to call 2 of`)
  })

  it('says if the command does not use its copy', async () => {
    const folder = temporaryFolder()
    const file = JSON.stringify(join(folder, 'kept', 'step'))
    mkdirSync(join(folder, 'kept'))
    const program = `${client}
      const { writeFileSync } = await import('node:fs')
      await call('base-models')
      writeFileSync(${file}, '1')`
    writeFileSync(join(folder, 'loop.mjs'), program)
    const args = ['explore', '--crash', '--state', 'kept', '--', process.execPath, 'loop.mjs']
    const { code, stderr } = await endedInProcess(args, { cwd: folder })
    expect(stderr).toMatch(
      /^Failed to run \S+: it wrote to kept itself, and each run has a copy\. /,
    )
    expect(code).toBe(2)
  })
})

describe('what the options of a rehearsal say', () => {
  it('means only kills, unless other runs are named', () => {
    expect(rehearsalOf({}).only).toBeUndefined()
    expect(rehearsalOf({ crash: true }).only).toEqual(['crashes'])
    expect(rehearsalOf({ crash: true, only: ['chat-hangs'] }).only).toEqual([
      'chat-hangs',
      'crashes',
    ])
  })

  it('leaves jobs unfinished, unless the command waits for webhooks', () => {
    expect(rehearsalOf({}).clock).toBe('instant')
    expect(rehearsalOf({ only: ['crashes'] }).clock).toBe('auto')
    expect(rehearsalOf({ crash: true, webhook: ['http://127.0.0.1:1/'] }).clock).toBe('instant')
    expect(rehearsalOf({ crash: true, clock: 'real' }).clock).toBe('real')
  })

  it('says what it assumes without a state', () => {
    expect(rehearsalOf({ crash: true }).assumption).toMatch(/^Without --state, this assumes /)
    expect(rehearsalOf({ crash: true, state: 'out' }).assumption).toBeUndefined()
    expect(rehearsalOf({}).assumption).toBeUndefined()
  })
})

describe('the copy of a state', () => {
  function project(): string {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'runs', 'one', 'logs'), { recursive: true })
    writeFileSync(join(folder, 'train.py'), 'the program')
    writeFileSync(join(folder, 'runs', 'data.jsonl'), 'data')
    writeFileSync(join(folder, 'runs', 'one', 'logs', 'step'), '1')
    return folder
  }

  it('is in a working folder that leads to the rest', () => {
    const folder = project()
    const before = printOf(join(folder, 'runs', 'one'))
    const { cwd, state, home, remove } = copyState('runs/one', folder)
    expect(state).toBe(join(cwd, 'runs', 'one'))
    const read = (path: string): string => readFileSync(join(cwd, path), 'utf8')
    expect(['train.py', 'runs/data.jsonl', 'runs/one/logs/step'].map(read)).toEqual([
      'the program',
      'data',
      '1',
    ])
    writeFileSync(join(state, 'logs', 'step'), '22')
    expect(printOf(join(folder, 'runs', 'one'))).toBe(before)
    remove()
    expect(existsSync(cwd)).toBe(false)
    expect(readFileSync(join(folder, 'train.py'), 'utf8')).toBe('the program')
    const next = copyState('runs/one', folder, home)
    expect([next.cwd, next.state]).toEqual([cwd, state])
    expect(read('runs/one/logs/step')).toBe('1')
    next.remove()
  })

  it('is elsewhere for a folder that is elsewhere', () => {
    const folder = project()
    const work = temporaryFolder()
    const { cwd, state, remove } = copyState(join(folder, 'runs'), work)
    expect(cwd).toBe(work)
    expect(readFileSync(join(state, 'one', 'logs', 'step'), 'utf8')).toBe('1')
    remove()
  })

  it('does not exist if there is nothing to copy', () => {
    const { cwd, state, remove } = copyState('new/state', project())
    expect(existsSync(join(cwd, 'new'))).toBe(true)
    expect(existsSync(state)).toBe(false)
    remove()
  })

  it('stays below the working folder, also if its name begins with dots', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, '..out'))
    const { cwd, state, remove } = copyState('..out', folder)
    expect(state).toBe(join(cwd, '..out'))
    remove()
  })

  it('is of a folder, which need not be there yet', () => {
    const folder = temporaryFolder()
    assertStateFolder(folder)
    assertStateFolder(join(folder, 'new'))
    writeFileSync(join(folder, 'file'), '')
    expect(() => assertStateFolder(join(folder, 'file'))).toThrow(
      /^--state takes a folder, and ".*file" is none\./,
    )
  })
})
