import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { assertBuilt, Command } from '../cli/command.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { BYTECODE } from './python.js'

/**
 * The newest openpipe-art with runs and artifacts. Its program stands in clients/art_with_runs.py, and has no address
 * but the one that this client needs.
 */

const { newest } = inject('pythons')

interface Report {
  'step after SFT': number
  rows: [announced: number, uploaded: number]
  batches: number
  jobs: [kind: string, status: string, step: number][]
  'logged steps': number[]
  pulled: string[]
  fork: string[][]
  deployed: [name: string, model: string, answers: boolean]
  poet: string[][]
}

describe.skipIf(newest.why !== undefined)('openpipe-art 0.5.23 by exec, with a key', () => {
  let seen: Report
  let stderr: string

  beforeAll(async () => {
    assertBuilt()
    const folder = temporaryFolder()
    const scenario = join(folder, 'deployable.yaml')
    // The client deploys adapters of these base models alone.
    writeFileSync(scenario, 'name: deployable\nbase_models: [OpenPipe/Qwen3-14B-Instruct]\n')
    const program = join(import.meta.dirname, 'clients', 'art_with_runs.py')
    const options = ['--scenario', scenario, '--clock', 'auto']
    const command = new Command(['exec', ...options, '--', newest.command!, program], {
      cwd: folder,
      env: {
        HOME: folder,
        PYTHONPYCACHEPREFIX: BYTECODE,
        // The client brings a price list along and would look for a newer one.
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      },
    })
    if ((await command.ended()) !== 0) throw new Error(command.stderr.slice(-3000))
    seen = JSON.parse(command.stdout.trim().split('\n').at(-1)!) as Report
    ;({ stderr } = command)
  }, 300_000)

  it('goes on after it was killed, and trains no step twice', () => {
    expect(seen.jobs).toEqual([
      ['rl', 'ended', 1],
      ['rl', 'ended', 2],
      ['rl', 'ended', 3],
      ['rl', 'ended', 4],
      ['sft', 'ended', 5],
    ])
  })

  it('logs the metrics of each step once', () => {
    const steps = seen['logged steps']
    expect(new Set(steps).size).toBe(steps.length)
    // What the program had not sent when it was killed is lost.
    expect(steps.slice(-2)).toEqual([3, 4])
  })

  it('fine-tunes on the rows that it uploads', () => {
    expect(seen.rows).toEqual([600, 600])
    expect(seen.batches).toBe(150)
    expect(seen['step after SFT']).toBe(5)
  })

  it('pulls, forks and deploys checkpoints', () => {
    expect(seen.pulled).toEqual(['adapter_config.json', 'adapter_model.safetensors'])
    expect(seen.fork).toContainEqual(['latest', 'step2'])
    const name = 'wandb-artifact:///local-team/demo/deployed:step7'
    expect(seen.deployed).toEqual([name, name, true])
  })

  it('deletes checkpoints with their artifacts', () => {
    expect(seen.poet).toEqual([['latest', 'step5']])
  })

  it('has nothing to warn of', () => {
    const warnings = stderr.split('\n').filter((line) => /wandb: (?:WARNING|ERROR)/.test(line))
    // The client itself logs in a second time.
    expect(warnings.filter((line) => !line.includes('Changing session credentials'))).toEqual([])
  })
})
