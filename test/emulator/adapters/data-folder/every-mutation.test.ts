import { setImmediate } from 'node:timers/promises'
import { buildSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import type { Emulator } from '../../../../src/index.js'
import { graphql } from '../../../support/graphql.js'
import { idsIn, mutationCases } from '../../mutation-cases.js'
import { fillPlatform } from '../../rich-platform.js'
import { opened, type Opened } from '../../../support/snapshots.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { leftBy } from './world-on-disk.js'
import { openEmulator } from '../../open-emulator.js'

const mutations = Object.values(buildSchema(PLATFORM_SCHEMA).getMutationType()!.getFields())

/** A world on disk that has runs and artifacts of all kinds. */
async function filledWorld(data: string): Promise<Emulator> {
  const emulator = openEmulator({ data })
  await emulator.ready()
  fillPlatform(emulator)
  // All of this is saved first, so that the call saves only its own change.
  await setImmediate()
  await setImmediate()
  return emulator
}

async function stateOf(emulator: Emulator): Promise<Opened> {
  return opened(await emulator.snapshot())
}

describe('every acknowledged mutation is on disk when the process is killed', () => {
  it('there is a case for each mutation', () => {
    expect(Object.keys(mutationCases).sort()).toEqual(mutations.map(({ name }) => name).sort())
  })

  it.each(Object.entries(mutationCases))('%s', async (name, [input, nothing]) => {
    const data = temporaryFolder()
    const emulator = await filledWorld(data)
    const before = await stateOf(emulator)
    const { type } = mutations.find((each) => each.name === name)!.args[0]!
    const query = `mutation M($input: ${type.toString()}) { ${name}(input: $input) { __typename } }`
    const caller = { emulator, fetch: emulator.fetch }
    const answer = await graphql(caller, query, { input: input(idsIn(emulator)) })
    expect(answer.errors).toBeUndefined()
    const left = leftBy(data)
    const answered = await stateOf(emulator)
    if (nothing === undefined) expect(answered).not.toEqual(before)
    else expect(answered).toEqual(before)

    const next = openEmulator({ data: left })
    expect(await stateOf(next)).toEqual(answered)
  })
})
