import { buildSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import { graphql } from '../../../support/graphql.js'
import { idsIn, mutationCases } from '../../mutation-cases.js'
import { fillPlatform } from '../../rich-platform.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { expectSaved } from './world-on-disk.js'
import { openEmulator } from '../../open-emulator.js'

const mutations = Object.values(buildSchema(PLATFORM_SCHEMA).getMutationType()!.getFields())

describe('every acknowledged mutation is on disk when the process is killed', () => {
  it('there is a case for each mutation', () => {
    expect(Object.keys(mutationCases).sort()).toEqual(mutations.map(({ name }) => name).sort())
  })

  it.each(Object.entries(mutationCases))('%s', async (name, [input, keepsNothing]) => {
    const data = temporaryFolder()
    const emulator = openEmulator({ data })
    await emulator.ready()
    fillPlatform(emulator)
    const { type } = mutations.find((each) => each.name === name)!.args[0]!
    const query = `mutation M($input: ${type.toString()}) { ${name}(input: $input) { __typename } }`
    const caller = { emulator, fetch: emulator.fetch }
    const change = async () => {
      const answer = await graphql(caller, query, { input: input(idsIn(emulator)) })
      expect(answer.errors).toBeUndefined()
    }
    await expectSaved({ emulator, data }, change, { keepsNothing })
  })
})
