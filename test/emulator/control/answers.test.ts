import { describe, expect, it } from 'vitest'
import { INVALID, Reader } from '../../../src/service/contract/pydantic/reader.js'
import type { Schema } from '../../../src/service/contract/pydantic/schema.js'
import { streamEvents } from '../../../src/emulator/control/schemas/stream.js'
import { controlOperations } from '../../../src/compose/control-table.js'
import { aRun } from '../../support/platform-records.js'
import { controlled } from './control.js'

/** A value as a schema reads it: keys that the schema does not declare are missing in it. */
function read(schema: Schema<unknown>, value: unknown): unknown {
  const reader = new Reader(false)
  const found = schema.read(value, reader)
  return found === INVALID ? reader.problems : found
}

/** An emulator in which each row has something to answer. */
async function busy() {
  const { emulator, call } = controlled()
  const { url } = emulator.createSink()
  await call('POST /secrets', { name: 'SIGNING', value: 'shh' })
  const webhook = { name: 'hook', url, secret: 'SIGNING' }
  await call('POST /webhooks', { ...webhook, adversary: [{ do: 'duplicate' }] })
  await call('POST /automations', { name: 'ended', event: 'RUN_STATE', webhook: 'hook' })
  const { body: job } = await call('POST /jobs', { model: 'poet' })
  const { body: fault } = await call('POST /faults', {
    fault: 'status',
    status: 503,
    match: { operation: 'createModel' },
  })
  await call('POST /clock/settle')
  await emulator.fetch(new URL(`${emulator.trainingUrl}/preview/training-jobs/${job.id}`))
  const { name: run } = aRun(emulator)
  await call('POST /artifacts', { name: 'rows', project: 'verse', files: { 'a.txt': 'hello' } })
  const { body: listed } = await call('GET /deliveries')
  return { emulator, call, job, fault, run, delivery: listed.deliveries[0] }
}

describe('the response of the control API', () => {
  it('has exactly the shape that its operation declares', async () => {
    const { call, job, fault, run, delivery } = await busy()
    const running = { model: 'poet', trajectories: 60 }
    const { body: ending } = await call('POST /jobs', running)
    const { body: failing } = await call('POST /jobs', running)
    const { body: snapshot } = await call('GET /snapshot')
    const { body: made } = await call('GET /requests')
    const ids: Readonly<Record<string, string>> = {
      request_id: made.requests[0].id,
      job_id: job.id,
      fault_id: fault.id,
      delivery_id: delivery.id,
      name: 'hook',
      model_id: 'poet',
      entity: 'local-team',
      project: 'verse',
      run,
      artifact: 'rows:v0',
      step: '0',
      document: 'training.json',
    }
    const sent: Readonly<Record<string, unknown>> = {
      changeClock: { mode: 'manual' },
      advanceClock: { by: '1s' },
      checkScenario: { yaml: 'name: checked' },
      chooseScenario: { name: 'happy-path' },
      restoreSnapshot: snapshot,
      addModel: { name: 'painter' },
      putArtifact: { name: 'rows', files: { 'a.txt': 'more' } },
      createJob: { model: 'poet' },
      readBill: { steps: 30, budget: '2M-tokens' },
      explainSignature: { headers: {}, body: '{}' },
      addFault: { fault: 'drop', match: { operation: 'createModel' } },
      setSecret: { name: 'OTHER', value: 'shh' },
      addWebhook: { name: 'other', url: 'http://receiver.test/other' },
      addAutomation: { name: 'again', event: 'RUN_STATE', webhook: 'hook' },
      triggerEvent: { event: 'RUN_STATE' },
      nextTrial: { ended: 'success' },
      openProxy: {},
      callMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    }
    const queries: Readonly<Record<string, string>> = {
      readTrace: '?format=json',
      awaitRequests: '?count=1',
    }
    const ofEndingJob = ['stallJob', 'resumeJob', 'finishJob']
    // What ends jobs, what removes what other rows need, and what replaces everything.
    const last = [
      ['finishJob'],
      ['settleWorld'],
      ['removeAutomation', 'removeSecret', 'removeFault'],
      ['removeCheckpoint'],
      ['removeWebhook', 'clearFaults', 'removeModel'],
      ['chooseScenario', 'resetWorld', 'restoreSnapshot'],
      ['startExploration', 'nextTrial'],
    ]
    const rank = ({ id }: { id: string }): number => last.findIndex((some) => some.includes(id))
    // Pages and bytes are no JSON: reports.test.ts reads pages, and ../artifacts.test.ts bytes.
    const others = ['stream', 'readReport', 'readRunFile', 'readArtifactFile']
    const rows = controlOperations.filter(({ id }) => !others.includes(id))
    for (const row of rows.toSorted((a, b) => rank(a) - rank(b))) {
      const names: Readonly<Record<string, string>> = {
        ...ids,
        ...(ofEndingJob.includes(row.id) && { job_id: ending.id }),
        ...(row.id === 'failJob' && { job_id: failing.id }),
        ...(row.id === 'removeAutomation' && { name: 'ended' }),
        ...(row.id === 'removeSecret' && { name: 'OTHER' }),
      }
      const path = row.path
        .replace('/_emulator', '')
        .replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name]!)
      const answer = await call(`${row.method} ${path}${queries[row.id] ?? ''}`, sent[row.id])
      expect(
        { id: row.id, ...answer },
        'A new row needs its body in `sent`, or its place in `last`, in test/emulator/control/answers.test.ts',
      ).toEqual({
        id: row.id,
        status: 200,
        body: expect.anything(),
      })
      expect({ id: row.id, read: read(row.response, answer.body) }).toEqual({
        id: row.id,
        read: answer.body,
      })
    }
  })

  it('has the declared shape for each event of the stream', async () => {
    const { emulator, call } = await busy()
    const stream = await emulator.fetch(new URL('/_emulator/stream?after=0', emulator.trainingUrl))
    const reader = stream.body!.getReader()
    const seen = new Map<string, unknown>()
    let text = ''
    await call('POST /jobs', { model: 'poet' })
    while (seen.size < Object.keys(streamEvents).length) {
      const { value } = await reader.read()
      text += new TextDecoder().decode(value)
      for (const [, name, data] of text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)) {
        seen.set(name!, JSON.parse(data!))
      }
      if (seen.has('entries') && !seen.has('reset')) await call('POST /reset')
    }
    await reader.cancel()
    for (const [name, data] of seen) {
      const schema = streamEvents[name as keyof typeof streamEvents] as Schema<unknown>
      expect({ name, read: read(schema, data) }).toEqual({ name, read: data })
    }
  })
})
