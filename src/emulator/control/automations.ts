import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import { addParts } from './add-parts.js'
import { control } from './row.js'
import { automations, namePath, partRequest } from './schemas/webhooks.js'
import { partProblem } from './unknown-names.js'

const listAutomations = control({
  id: 'listAutomations',
  method: 'GET',
  path: '/_emulator/automations',
  summary: 'The automations: which event calls which webhook, with which payload',
  response: automations,
  run: ({ emulator: { webhooks } }) => automationsOf(webhooks),
})

const addAutomation = control({
  id: 'addAutomation',
  method: 'POST',
  path: '/_emulator/automations',
  summary: 'Adds an automation in scenario form, or replaces the one of that name',
  body: partRequest,
  response: automations,
  async run({ emulator: world, engine, body }) {
    const refused = await addParts(world, { automations: [body] })
    if (refused) return refused
    engine.journal.note(`control: automation ${String(body.name)}`)
    return automationsOf(world.webhooks)
  },
})

const removeAutomation = control({
  id: 'removeAutomation',
  method: 'DELETE',
  path: '/_emulator/automations/{name}',
  summary: 'Removes an automation',
  params: namePath,
  response: automations,
  run({ emulator: { webhooks }, engine, params: { name } }) {
    const wrong = partProblem('automation', name, webhooks.parts.automations)
    if (wrong) return wrong
    webhooks.remove(name)
    engine.journal.note(`control: automation ${name} removed`)
    return automationsOf(webhooks)
  },
})

function automationsOf({ parts }: Webhooks) {
  return { automations: parts.automations }
}

export const automationOperations = [listAutomations, addAutomation, removeAutomation]
