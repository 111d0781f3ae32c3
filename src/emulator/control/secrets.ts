import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import { addParts } from './add-parts.js'
import { control } from './row.js'
import { namePath, secretNames, secretRequest } from './schemas/webhooks.js'

const listSecrets = control({
  id: 'listSecrets',
  method: 'GET',
  path: '/_emulator/secrets',
  summary: "The names of the team's secrets; no call returns their values",
  response: secretNames,
  run: ({ emulator: { webhooks } }) => namesOf(webhooks),
})

const setSecret = control({
  id: 'setSecret',
  method: 'POST',
  path: '/_emulator/secrets',
  summary: 'Adds or rotates a secret, with immediate effect',
  body: secretRequest,
  response: secretNames,
  async run({ emulator: world, engine, body: { name, value } }) {
    const refused = await addParts(world, { secrets: { [name]: value } })
    if (refused) return refused
    engine.journal.note(`control: secret ${name} is set`)
    return namesOf(world.webhooks)
  },
})

const removeSecret = control({
  id: 'removeSecret',
  method: 'DELETE',
  path: '/_emulator/secrets/{name}',
  summary: 'Removes a secret; webhooks that sign with it send unsigned deliveries from now on',
  params: namePath,
  response: secretNames,
  run({ emulator: { webhooks }, engine, params: { name } }) {
    webhooks.removeSecret(name)
    engine.journal.note(`control: secret ${name} is removed`)
    return namesOf(webhooks)
  },
})

function namesOf({ parts }: Webhooks) {
  return { secrets: Object.keys(parts.secrets) }
}

export const secretOperations = [listSecrets, setSecret, removeSecret]
