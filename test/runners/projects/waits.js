import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createEmulator, createWebhookSink } from 'svtrain-emulator'

/** Runs a test with an emulator that listens. */
function withEmulator(name, options, run) {
  test(name, async () => {
    const emulator = createEmulator(options)
    await emulator.listen()
    try {
      await run(emulator)
    } finally {
      await emulator.close()
    }
  })
}

/** What the waits of an emulator and its sink say when nothing comes. */
async function missed(emulator, limit) {
  const sink = emulator.createSink()
  const waits = [
    sink.waitFor({ event: 'RUN_STATE' }, { timeout: limit }),
    emulator.requests.waitFor('createModel', { within: limit }),
  ]
  const [delivery, request] = await Promise.allSettled(waits)
  return { delivery: delivery.reason.message, request: request.reason.message }
}

for (const clock of ['auto', 'manual', 'real', 'instant']) {
  const name = `ends at once when nothing can come any more, with the clock ${clock}`
  withEmulator(name, { clock }, async (emulator) => {
    const answer = await fetch(`${emulator.trainingUrl}/health`)
    await answer.text()
    const { delivery, request } = await missed(emulator, '1h')
    assert.match(delivery, /nothing that could cause another one is under way/)
    assert.match(request, /^Nothing that could make a request is under way/)
  })
}

test('ends at once in a sink without an emulator', async () => {
  const missing = createWebhookSink().waitFor({}, { timeout: '1h' })
  await assert.rejects(missing, /nothing that could cause another one is under way/)
})

const call = (url) => `setTimeout(() => fetch(${JSON.stringify(url)}), 500)`
const callers = {
  'a timer of this process': (url) => void setTimeout(500).then(() => fetch(url)),
  'a thread': (url) => new Worker(call(url), { eval: true }),
  'a program': (url) => spawn(process.execPath, ['-e', call(url)]),
}
for (const [caller, start] of Object.entries(callers)) {
  withEmulator(`goes on while ${caller} may call`, {}, async (emulator) => {
    start(`${emulator.trainingUrl}/health`)
    await emulator.requests.waitFor('healthCheck', { within: '20s' })
  })
}

withEmulator('goes on while something is due in real time', { clock: 'real' }, async (emulator) => {
  const sink = emulator.createSink()
  const send = () => void sink.fetch(sink.url, { method: 'POST', body: '{}' })
  emulator.clock.at(emulator.clock.now() + 500, send)
  await sink.waitFor()
})

test('goes on while others may know the port', async () => {
  const sink = createWebhookSink()
  const { port } = await sink.listen()
  await sink.close()
  await sink.listen({ port })
  try {
    await assert.rejects(sink.waitFor({}, { timeout: '300ms' }), /in time/)
  } finally {
    await sink.close()
  }
})
