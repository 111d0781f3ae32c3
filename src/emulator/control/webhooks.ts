import { ApiError } from '../../service/contract/errors.js'
import { redactedAnswer } from '../../webhooks/sending/transport.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import { addParts } from './add-parts.js'
import { control } from './row.js'
import {
  explained,
  explainRequest,
  namePath,
  partRequest,
  testOutcome,
  testRequest,
  webhooks as webhookList,
} from './schemas/webhooks.js'
import { shownUrl } from './shown-url.js'
import { partProblem } from './unknown-names.js'

const listWebhooks = control({
  id: 'listWebhooks',
  method: 'GET',
  path: '/_emulator/webhooks',
  summary: 'The webhooks, and why any of them is disabled',
  response: webhookList,
  run: ({ emulator: { webhooks } }) => webhooksOf(webhooks),
})

const addWebhook = control({
  id: 'addWebhook',
  method: 'POST',
  path: '/_emulator/webhooks',
  summary: 'Adds a webhook in scenario form, or changes what is named of the one of that name',
  body: partRequest,
  response: webhookList,
  async run({ emulator: world, engine, body }) {
    const refused = await addParts(world, { webhooks: [body] })
    if (refused) return refused
    engine.journal.note(`control: webhook ${String(body.name)}`)
    return webhooksOf(world.webhooks)
  },
})

const removeWebhook = control({
  id: 'removeWebhook',
  method: 'DELETE',
  path: '/_emulator/webhooks/{name}',
  summary: 'Removes a webhook and its automations',
  refusals: [409],
  params: namePath,
  response: webhookList,
  run({ emulator: { webhooks }, engine, params: { name } }) {
    const { parts } = webhooks
    const namesake = parts.automations.find((each) => each.name === name)
    const isThere = parts.webhooks.some((each) => each.name === name)
    if (namesake && !isThere) return partProblem('webhook', name, parts.webhooks)!
    if (namesake && namesake.webhook !== name) {
      return new ApiError(
        409,
        `An automation of another webhook is also called "${name}". Remove it first.`,
      )
    }
    // Removes the automation of that name first; it would go with its webhook anyway.
    if (namesake) webhooks.remove(name)
    webhooks.remove(name)
    engine.journal.note(`control: webhook ${name} removed`)
    return webhooksOf(webhooks)
  },
})

const testWebhook = control({
  id: 'testWebhook',
  method: 'POST',
  path: '/_emulator/webhooks/{name}/test',
  summary: "Sends a test with a webhook's credentials and returns the answer; records neither",
  params: namePath,
  body: testRequest,
  response: testOutcome,
  async run({ emulator: { webhooks }, params: { name }, body: { payload } }) {
    const { status = null, took, error, answer } = await webhooks.test(name, payload)
    const redact = webhooks.withoutSecrets
    return {
      status,
      took,
      error: error === undefined ? null : redact(error),
      response_excerpt: answer === undefined ? null : redactedAnswer(answer, redact),
    }
  },
})

const explainSignature = control({
  id: 'explainSignature',
  method: 'POST',
  path: '/_emulator/webhooks/{name}/explain',
  summary: "Verifies headers and a body with a webhook's secret, and says what is wrong",
  params: namePath,
  body: explainRequest,
  response: explained,
  async run({ emulator: { webhooks }, params: { name }, body: delivered }) {
    const wrong = partProblem('webhook', name, webhooks.parts.webhooks)
    if (wrong) return wrong
    const { diagnose } = await import('../../webhooks/signature/diagnose.js')
    const { verify } = await import('../../webhooks/signature/verify.js')
    const rules = webhooks.rulesOf(name)!
    const { verdict } = await verify(delivered, rules)
    const text = verdict === 'valid' ? undefined : (await diagnose(delivered, rules))?.text
    return { verdict, diagnosis: text === undefined ? null : webhooks.withoutSecrets(text) }
  },
})

const enableWebhook = control({
  id: 'enableWebhook',
  method: 'POST',
  path: '/_emulator/webhooks/{name}/enable',
  summary: 'Enables a webhook again that answered 410',
  params: namePath,
  response: webhookList,
  run({ emulator: { webhooks }, engine, params: { name } }) {
    webhooks.enable(name)
    engine.journal.note(`control: webhook ${name} is enabled`)
    return webhooksOf(webhooks)
  },
})

function webhooksOf(webhooks: Webhooks) {
  return {
    webhooks: webhooks.parts.webhooks.map(({ url, ...rule }) => {
      const disabled = webhooks.whyDisabled(rule.name) ?? null
      return { ...rule, url: url === undefined ? null : shownUrl(url, webhooks), disabled }
    }),
  }
}

export const webhookOperations = [
  listWebhooks,
  addWebhook,
  removeWebhook,
  testWebhook,
  explainSignature,
  enableWebhook,
]
