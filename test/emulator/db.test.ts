import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { createModel } from '../support/trainer.js'
import { describeTransports } from '../support/transports.js'

const twoModels = {
  name: 'two-models',
  base_models: ['a/base', 'b/base'],
  models: [
    { project: 'verse', name: 'poet', base_model: 'a/base' },
    { project: 'prose', name: 'novelist', base_model: 'b/base' },
  ],
}

describeTransports('emulator.db', (open) => {
  it('contains what clients create, and not what they delete', async () => {
    const { emulator, ...api } = await open()
    const model = await createModel(api, { project: 'demo', name: 'poet' })
    expect(emulator.db.models.findFirst((q) => q.where({ name: 'poet' }))).toEqual(model)
    expect(emulator.db.projects.all()).toEqual([{ entity: 'local-team', name: 'demo' }])
    await api.delete(`/preview/models/${model.id}`)
    expect(emulator.db.models.count()).toBe(0)
  })
})

describe('emulator.db', () => {
  it('has a project once, if two models come at the same time', async () => {
    const emulator = createEmulator()
    const names = ['poet', 'critic']
    await Promise.all(names.map((name) => emulator.models.create({ project: 'verse', name })))
    expect(emulator.db.projects.count()).toBe(1)
    const restored = createEmulator({ snapshot: await emulator.snapshot() })
    await restored.ready()
    expect(restored.db.projects.count()).toBe(1)
  })

  it('understands the queries of the data library', async () => {
    const emulator = createEmulator({ scenario: twoModels })
    await emulator.ready()
    const { db } = emulator
    const names = (...given: Parameters<typeof db.models.findMany>) =>
      db.models.findMany(...given).map(({ name }) => name)
    expect(names((q) => q.where({ name: (name) => name.length > 4 }))).toEqual(['novelist'])
    expect(names(undefined, { orderBy: { name: 'asc' } })).toEqual(['novelist', 'poet'])
    expect(names(undefined, { skip: 1 })).toEqual(['novelist'])
    expect(db.models.findFirst((q) => q.where({ name: 'critic' }))).toBeUndefined()
    expect(() => db.models.findFirst((q) => q.where({ name: 'critic' }), { strict: true })).toThrow(
      'no record found matching the query',
    )
    expect(db.baseModels.all()).toEqual([{ id: 'a/base' }, { id: 'b/base' }])
  })

  it('is the same object each time, and shows the new world after a reset and a restore', async () => {
    const emulator = createEmulator({ scenario: twoModels })
    const { db } = emulator
    const snapshot = await emulator.snapshot()
    emulator.reset('happy-path')
    await emulator.ready()
    expect(emulator.db).toBe(db)
    expect(db.models.all()).toEqual([])
    emulator.restore(snapshot)
    await emulator.ready()
    expect(db.models.findMany().map(({ name }) => name)).toEqual(['poet', 'novelist'])
    expect(db.projects.count()).toBe(2)
    for (const poet of db.models.all()) expect(Object.isFrozen(poet)).toBe(true)
  })

  it('is read-only', async () => {
    const emulator = createEmulator({ scenario: twoModels })
    await emulator.ready()
    const { db } = emulator
    for (const view of [db.projects, db.baseModels, db.models]) {
      expect(Object.keys(view)).toEqual(['all', 'count', 'findFirst', 'findMany'])
      expect(Object.isFrozen(view)).toBe(true)
      for (const record of view.all()) expect(Object.isFrozen(record)).toBe(true)
    }
    expect(Object.isFrozen(db)).toBe(true)
    const poet = db.models.findFirst()!
    expect(() => Object.assign(poet, { name: 'critic' })).toThrow(TypeError)
    db.models.findMany((q) => q.where((record) => Reflect.set(record, 'name', 'critic')))
    db.models.all().length = 0
    expect(db.models.all().map(({ name }) => name)).toEqual(['poet', 'novelist'])
  })
})
