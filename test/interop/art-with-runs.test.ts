import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { resultOf, runPython } from './python.js'

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

/** Runs the program by exec, and returns what it saw, and the warnings that the SDK printed. */
async function trained(python: string): Promise<{ seen: Report; warnings: string[] }> {
  assertBuilt()
  const folder = temporaryFolder()
  const scenario = join(folder, 'deployable.yaml')
  // The client deploys adapters of these base models alone.
  writeFileSync(scenario, 'name: deployable\nbase_models: [OpenPipe/Qwen3-14B-Instruct]\n')
  const bin = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')
  const options = ['--scenario', scenario, '--clock', 'auto']
  const program = join('clients', 'art_with_runs.py')
  const ran = await runPython(process.execPath, [bin, 'exec', ...options, '--', python, program], {
    // All that the clients write is here.
    HOME: folder,
    WANDB_DIR: folder,
    // Too short for the SDK: see docs/how-to/troubleshooting.md. `exec` sets another one.
    WANDB_API_KEY: 'any-key',
  })
  const seen = resultOf<Report>(ran)
  const lines = ran.stderr.split('\n')
  return { seen, warnings: lines.filter((line) => /wandb: (?:WARNING|ERROR)/.test(line)) }
}

describe.skipIf(newest.why !== undefined)('openpipe-art 0.5.23 by exec', () => {
  it('trains, goes on after a kill, fine-tunes, and uses checkpoints', async () => {
    const { seen, warnings } = await trained(newest.command!)
    const { 'logged steps': steps, fork, ...others } = seen
    const deployed = 'wandb-artifact:///local-team/demo/deployed:step7'
    expect(others).toEqual({
      // No step is trained twice.
      jobs: [
        ['rl', 'ended', 1],
        ['rl', 'ended', 2],
        ['rl', 'ended', 3],
        ['sft', 'ended', 4],
      ],
      'step after SFT': 4,
      rows: [600, 600],
      batches: 150,
      pulled: ['adapter_config.json', 'adapter_model.safetensors'],
      deployed: [deployed, deployed, true],
      poet: [['latest', 'step4']],
    })
    expect(fork).toContainEqual(['latest', 'step2'])
    // What the program had not sent when it was killed is lost, and nothing is there twice.
    expect(new Set(steps).size).toBe(steps.length)
    expect(steps.at(-1)).toBe(3)
    // The client itself logs in a second time.
    const own = 'Changing session credentials'
    expect(warnings.filter((line) => !line.includes(own))).toEqual([])
  }, 300_000)
})
