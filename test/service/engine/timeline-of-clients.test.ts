import { describe, expect, it } from 'vitest'
import type { EmulatorOptions, ScenarioInput } from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { logArtifact, openRun, streamRun } from '../../support/platform-client.js'

function open(options: EmulatorOptions) {
  const emulator = openEmulator(options)
  return { emulator, fetch: emulator.fetch }
}

describe('the timeline', () => {
  it('follows what clients do to their runs and artifacts', async () => {
    const entry = (after: object, alias: string) =>
      ({ after, do: 'add_alias', alias, model: 'poet' }) as NonNullable<
        ScenarioInput['timeline']
      >[number]
    const timeline = [
      entry({ event: 'artifact_committed' }, 'after-any'),
      entry({ event: 'artifact_committed', artifact: 'row*' }, 'after-rows'),
      entry({ event: 'alias_added', artifact: 'rows' }, 'after-alias-of-rows'),
      // Without the name of an artifact, these are the events of checkpoints.
      entry({ event: 'tag_added' }, 'never'),
      entry({ event: 'run_created', run: 'My*' }, 'after-start'),
      entry({ event: 'metrics_logged', run: 'poem' }, 'after-metrics'),
      entry({ event: 'run_state_changed', state: 'failed' }, 'after-failure'),
      entry({ event: 'run_state_changed', run: 'other' }, 'never'),
    ]
    const api = open({ scenario: { name: 'followed', timeline } })
    const { id } = await api.emulator.models.create({ name: 'poet' })
    const { aliases } = api.emulator.engine.store.model(id)!
    const added = async (work: Promise<unknown>): Promise<string[]> => {
      aliases.clear()
      await work
      return [...aliases.keys()]
    }
    const odes = logArtifact(api, { name: 'odes', content: 'one', aliases: ['best'] })
    expect(await added(odes)).toEqual(['after-any'])
    const rows = logArtifact(api, { name: 'rows', content: 'one', tags: ['clean'] })
    expect(await added(rows)).toEqual(['after-any', 'after-rows', 'after-alias-of-rows'])
    const opened = openRun(api, { name: 'poem', displayName: 'My poem' })
    expect(await added(opened)).toEqual(['after-start'])
    expect(await added(streamRun(api, 'poem', { rows: [{ loss: 1 }] }))).toEqual(['after-metrics'])
    expect(await added(streamRun(api, 'poem', { exitCode: 1 }))).toEqual(['after-failure'])
  })

  it('changes all models if it names none, and can wait', async () => {
    const timeline: ScenarioInput['timeline'] = [
      { after: { event: 'artifact_committed' }, wait: '1m', do: 'add_checkpoint' },
    ]
    const api = open({ scenario: { name: 'followed', timeline } })
    const { emulator } = api
    for (const name of ['poet', 'painter']) await emulator.models.create({ name })
    await logArtifact(api, { name: 'rows', content: 'one' })
    const steps = () =>
      [...emulator.engine.store.modelStates].map((each) => each.checkpoints.latest!.step)
    expect(steps()).toEqual([0, 0])
    const restored = open({
      scenario: { name: 'followed', timeline },
      snapshot: await emulator.snapshot(),
    })
    for (const each of [emulator, restored.emulator]) {
      each.clock.advance('1m')
      const models = [...each.engine.store.modelStates]
      expect(models.map(({ checkpoints }) => checkpoints.latest!.step)).toEqual([1, 1])
    }
  })
})
