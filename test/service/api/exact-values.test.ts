import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { BASE_MODEL } from '../../support/api-client.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { createModel } from '../../support/trainer.js'
import { describeTransports } from '../../support/transports.js'

const UNSAFE = '9007199254740993'
const HUGE = `1${'0'.repeat(399)}`
const messages = '[{"role":"user","content":"hi","10":1,"b":2}]'

/** Bodies that are accepted, with numbers that JavaScript cannot hold wherever a client may put them. */
function bodiesFor(id: string): readonly (readonly [method: string, path: string, body: string])[] {
  const numbers = `{"a":${UNSAFE},"b":${HUGE},"c":1e400,"10":1.0,"2":-0.0,"n":NaN}`
  const trajectory = `{"messages_and_choices":${messages},"reward":${UNSAFE},"initial_policy_version":${HUGE},"final_policy_version":1e15,"metrics":{"m":${UNSAFE},"10":1.0,"2":${HUGE}},"metadata":${numbers},"exchanges":${numbers},"start_time":1e9}`
  const groups = `[{"trajectories":[${trajectory},{"reward":1e400}],"metadata":${numbers}}]`
  return [
    ['POST', '/preview/models', `{"project":"p","name":"n","base_model":"b","extra":${numbers}}`],
    ['POST', `/preview/models/${id}/log`, `{"split":"val","trajectory_groups":${groups}}`],
    ['POST', '/preview/training-jobs', `{"model_id":"${id}","trajectory_groups":${groups},"experimental_config":{"learning_rate":${UNSAFE},"kl_penalty_step_lag":${HUGE},"logprob_calculation_chunk_size":${UNSAFE}}}`],
    ['POST', '/preview/sft-training-jobs', `{"model_id":"${id}","training_data_url":"wandb-artifact:///t/p/d:v1","config":{"batch_size":${HUGE},"learning_rate":[1e400,${UNSAFE}],"metric_logging":{"enabled":true,"target_training_step":${UNSAFE}}},"experimental_config":${numbers}}`],
    ['DELETE', `/preview/models/${id}/checkpoints`, `{"steps":[${UNSAFE},"${UNSAFE}",7.0,1e15]}`],
    ['POST', '/chat/completions', `{"model":"poet-base","messages":${messages},"seed":${UNSAFE},"metadata":${numbers},"max_tokens":${HUGE}}`],
  ] // oxfmt-ignore
}

describeTransports('numbers that JavaScript cannot hold', (open) => {
  it('are accepted in every operation, and break no answer, journal, snapshot or data folder', async () => {
    const data = temporaryFolder()
    const api = await open({
      data,
      scenario: { name: 'exact', base_models: [{ id: 'poet-base' }] },
    })
    const { emulator } = api
    const { id } = await createModel(api)
    for (const [method, path, body] of bodiesFor(id)) {
      const answer = method === 'POST' ? await api.post(path, body) : await api.delete(path, body)
      expect([path, answer.status, JSON.stringify(answer.body)]).toMatchObject([path, 200, /^/])
    }
    emulator.clock.advance('1d')
    await emulator.settle()
    const jobs = emulator.jobs.all.map((job) => `/preview/training-jobs/${job.id}/events`)
    for (const path of [...jobs, `/preview/models/${id}/checkpoints`]) {
      const { status, body } = await api.get(path)
      expect(status).toBe(200)
      expect(body.data.length).toBeGreaterThan(0)
    }
    for (const entry of emulator.journal.entries) expect(() => JSON.stringify(entry)).not.toThrow()
    const saved = await emulator.snapshot()
    expect(JSON.parse(JSON.stringify(saved))).toEqual(saved)
    await emulator.close()

    const next = createEmulator({ data, clock: 'manual' })
    expect(next.jobs.all.map((job) => job.id)).toEqual(emulator.jobs.all.map((job) => job.id))
    await next.close()
  })

  it('are named exactly in the errors of a chat', async () => {
    const api = await open()
    const chat = (seed: string) => {
      const body = `{"model":"${BASE_MODEL}","messages":${messages},"seed":${seed}}`
      return api.post('/chat/completions', body)
    }
    expect((await chat('9223372036854775807')).status).toBe(200)
    const { status, body } = await chat('9223372036854775808')
    expect(status).toBe(400)
    expect(body.error.message).toContain("'input': '9223372036854775808'")
    expect(body.error.message).toContain("'ctx': {'le': 9223372036854775807}")
  })
})
