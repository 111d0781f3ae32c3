import { expect, it } from 'vitest'
import type { Emulator } from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'

const PLACE = { entity: 'local-team', project: 'my-project' }

/** A world with a model. */
async function openWithModel() {
  const emulator = openEmulator()
  const { name, id } = await emulator.models.create({ ...PLACE, name: 'poet' })
  const { engine } = emulator
  return { emulator, engine, name, model: engine.store.model(id)! }
}

/** The collection of a model, with the files of each version. */
function versionsOf({ engine }: Emulator, name: string) {
  const platform = engine.platformWithCheckpoints()
  const { collections } = platform.projects.get(PLACE.entity, PLACE.project)
  return [...(collections.get(name)?.members ?? [])].map(({ artifact, index, aliases }) => ({
    artifact,
    index,
    aliases: [...aliases].toSorted(),
    metadata: JSON.parse(artifact.metadata) as object,
    read: (path: string) => platform.artifacts.contents.read(artifact, path)!,
  }))
}

function notesIn({ journal }: Emulator): string[] {
  return journal.entries.flatMap((entry) => (entry.kind === 'note' ? entry.text : []))
}

it('a checkpoint is an artifact in the project of its model, with aliases for its step', async () => {
  const { emulator, name } = await openWithModel()
  const job = await emulator.jobs.start({ model: name })
  emulator.jobs.finish(job)
  const versions = versionsOf(emulator, name)
  expect(versions.map(({ index, aliases }) => ({ index, aliases }))).toEqual([
    { index: 0, aliases: ['step0'] },
    { index: 1, aliases: ['latest', 'step1'] },
  ])
  const [, { artifact, metadata }] = versions as [unknown, (typeof versions)[number]]
  expect(artifact.source.type).toBe('lora')
  expect(metadata).toMatchObject({ base_model: 'example/base-8b-instruct', step: 1 })
})

it('its files are those of an adapter, and other steps have others', async () => {
  const { emulator, name } = await openWithModel()
  emulator.jobs.finish(await emulator.jobs.start({ model: name }))
  const [before, after] = versionsOf(emulator, name)
  const config = JSON.parse(new TextDecoder().decode(after!.read('adapter_config.json')))
  expect(config).toMatchObject({
    base_model_name_or_path: 'example/base-8b-instruct',
    peft_type: 'LORA',
    r: 2,
    target_modules: ['q_proj', 'v_proj'],
  })
  const weights = after!.read('adapter_model.safetensors')
  const length = Number(new DataView(weights.buffer, weights.byteOffset).getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(weights.subarray(8, 8 + length)))
  expect(header['base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight']).toEqual({
    dtype: 'F32',
    shape: [2, 8],
    data_offsets: [0, 64],
  })
  expect(weights.length).toBe(8 + length + 4 * 64)
  expect(before!.read('adapter_model.safetensors')).not.toEqual(weights)
})

it('an artifact is deleted with its checkpoint, and with its model', async () => {
  const { emulator, engine, name, model } = await openWithModel()
  emulator.jobs.finish(await emulator.jobs.start({ model: name }))
  expect(versionsOf(emulator, name)).toHaveLength(2)
  engine.checkpointing.delete(model, 1)
  expect(versionsOf(emulator, name).map(({ index, aliases }) => ({ index, aliases }))).toEqual([
    { index: 0, aliases: ['latest', 'step0'] },
  ])
  engine.deleteModel(model)
  expect(versionsOf(emulator, name)).toEqual([])
})

it('an alias of a checkpoint is one of its artifact', async () => {
  const { emulator, engine, name, model } = await openWithModel()
  engine.checkpointing.alias(model, 'best', { checkpoint: model.checkpoints.latest! })
  expect(versionsOf(emulator, name)[0]!.aliases).toEqual(['best', 'latest', 'step0'])
})

it('an alias that no artifact may have stays one of its checkpoint, and the journal says so', async () => {
  const { emulator, engine, name, model } = await openWithModel()
  engine.checkpointing.alias(model, '100%', { checkpoint: model.checkpoints.latest! })
  for (const _ask of ['once', 'again']) {
    expect(versionsOf(emulator, name)[0]!.aliases).toEqual(['latest', 'step0'])
  }
  expect(model.aliases.has('100%')).toBe(true)
  expect(notesIn(emulator)).toEqual([
    expect.stringMatching(/^poet: its artifact did not get the alias "100%": .* contains "%"/),
  ])
})

it('a checkpoint whose collection has another type is not an artifact, and the journal says so', async () => {
  const emulator = openEmulator()
  const { artifacts } = emulator.engine.platformWithCheckpoints()
  const place = { ...PLACE, collection: 'poet', type: 'dataset' }
  artifacts.create(place, { digest: 'd' }, { user: 'ada' })
  await emulator.models.create({ ...PLACE, name: 'poet' })
  expect(versionsOf(emulator, 'poet')).toEqual([])
  expect(notesIn(emulator)).toEqual([
    expect.stringMatching(/^poet: checkpoint 0 is not an artifact: .* has the type "dataset"/),
  ])
})
