import { describe, expect, it } from 'vitest'
import { explore, type ExploredCode } from '../../../../src/explore.js'
import { loop, type Mistakes } from './loops.js'

describe('explore with crash, in this process', { timeout: 120_000 }, () => {
  it('passes a loop that goes on where it was killed', async () => {
    const names: string[] = []
    const code: ExploredCode = (emulator, world) => {
      names.push(world.trial.name)
      return loop()(emulator, world)
    }
    const report = await explore(code, { crash: true, timeout: '30s' })
    report.assertPassed()
    const kills = report.runs.slice(2).map(({ name }) => name)
    // Each kill starts the code once more.
    expect(names).toEqual([
      'happy-path',
      'happy-path again',
      ...kills.flatMap((name) => [name, name]),
    ])
    expect(kills).toContain('crashes createRlTrainingJob:2:before')
    expect(kills).toContain('crashes listTrainingJobEvents:3:before')
    // After its answer, nothing is left to do.
    expect(kills).not.toContain('crashes listTrainingJobEvents:3:after')
    expect(report.runs.filter(({ remark }) => remark !== undefined)).toEqual([])
  })

  it.each<[Mistakes, string, string, RegExp]>([
    [
      { newModel: true },
      'listCheckpoints:1:before',
      'a restart creates another model',
      /^Killed before the answer to call 1 of listCheckpoints\. 2 models instead of 1: poet-\d+, poet-\d+\.$/,
    ],
    [
      { fromTheStart: true },
      'createRlTrainingJob:2:after',
      'a batch whose checkpoint exists is trained again after a restart',
      / Batch 1 was trained twice instead of once: jobs \S+ and \S+\. Batch 2 was trained twice /,
    ],
    [
      { doneTooEarly: true },
      'createInferenceChatCompletion:4:after',
      'a batch is never trained after a restart',
      / Batch 2 was never trained\.$/,
    ],
    [
      { forgetsJob: true },
      'createRlTrainingJob:1:after',
      'a batch is trained twice after a restart',
      / Batch 1 was trained twice .* 4 events of job \S+ were never read/,
    ],
    [
      { storedCheckpoint: true },
      'createRlTrainingJob:2:before',
      'it goes on from a wrong checkpoint after a restart',
      / Job \S+ trains on answers of a checkpoint 1 step behind the newest one, /,
    ],
    [
      { unreadable: true },
      'createInferenceChatCompletion:2:after',
      'the code fails after a restart',
      /^Killed after the answer to call 2 of createInferenceChatCompletion\. state\.json has half a line$/,
    ],
  ])('finds %o', async (mistakes, kill, title, reason) => {
    const report = await explore(loop(mistakes), { crash: [kill], timeout: '30s' })
    expect(report.failures).toMatchObject([{ title, verdict: 'failed', runs: [3] }])
    expect(report.failures[0]!.reason).toMatch(reason)
    expect(report.text).toContain(`explore(code, { crash: ['${kill}'], seed: 1 })`)
    expect(report.failures[0]!.flaky).toBeUndefined()
  })

  it('finds an end that never comes', async () => {
    const report = await explore(loop({ waits: true }), {
      crash: ['listTrainingJobEvents:2:before'],
      timeout: '2s',
    })
    expect(report.failures).toMatchObject([
      { title: 'the code does not end after a restart', verdict: 'hung' },
    ])
  })

  it('compares what is the same without a kill, and says what is not', async () => {
    let run = 0
    const code: ExploredCode = async ({ fetch, trainingUrl, apiKey }) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const post = async (path: string, body: object): Promise<{ id: string }> => {
        const url = `${trainingUrl}/preview/${path}`
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
        return (await answer.json()) as { id: string }
      }
      const model = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
      const { id } = await post('models', { ...model, return_existing: true })
      // A shuffle without a seed.
      const trajectories = [{ reward: run++ }, { reward: -1 }]
      await post('training-jobs', { model_id: id, trajectory_groups: [{ trajectories }] })
    }
    const report = await explore(code, { crash: ['createModel:1:before'] })
    report.assertPassed()
    expect(report.runs[1]!.remark).toBe(
      'Not compared, because they differ without a kill: the prompts of batches. A seed in the code makes runs equal.',
    )
  })

  it('stops if the code stores something that it does not know of', async () => {
    let isDone = false
    const code: ExploredCode = async (emulator, world) => {
      if (isDone) await emulator.fetch(`${emulator.trainingUrl}/health`)
      else await loop()(emulator, world)
      isDone = true
    }
    const report = await explore(code, { crash: true, timeout: '30s' })
    expect(report.ended).toBe('baseline')
    expect(report.failures).toMatchObject([
      {
        title: 'in a second run without any fault: the code does other work than in the first run',
        reason:
          '0 models instead of 1: none. If it stores something on this machine, say where with the option state.',
      },
    ])
  })

  it('did not try a kill whose call never comes', async () => {
    const report = await explore(loop(), {
      crash: ['createRlTrainingJob:9:before'],
      timeout: '30s',
    })
    expect(() => report.assertPassed()).toThrow(
      /^No kill was tried: nothing of 1 kill happened to the code/,
    )
    expect(report.runs).toHaveLength(2)
    expect(report.skipped).toEqual([
      {
        name: 'crashes createRlTrainingJob:9:before',
        reason: 'Nothing of it happened: call 9 of createRlTrainingJob never came',
      },
    ])
  })

  it('refuses what it cannot do', async () => {
    await expect(explore(loop(), { crash: ['createJob:1:before'] })).rejects.toThrow(
      'createRlTrainingJob:2:before',
    )
    const report = await explore(async (emulator) => void (await emulator.listen()), {
      crash: true,
    })
    expect(report.failures[0]!.reason).toContain('needs calls through emulator.fetch')
  })
})
