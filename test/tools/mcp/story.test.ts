import { expect, it } from 'vitest'
import { describeSessions } from './sessions.js'

describeSessions('An assistant, by calls of tools alone,', (connect) => {
  it('finds out why a job failed, makes the next one succeed, and shows the trace', async () => {
    const { text } = await connect()
    expect(await text('get_status')).toMatch(
      /SVTRAIN_BASE_URL=http.*\n.*SVTRAIN_INFERENCE_URL=http/,
    )
    expect(await text('list_scenarios', { filter: 'memory' })).toContain('failing-job: ')

    const started = await text('start_scenario', { name: 'failing-job', seed: 7 })
    expect(started).toContain('Started over with the scenario "failing-job", seed 7')
    expect(await text('create_job', { model: 'poet' })).toMatch(/^Created job [\w-]{36} rl "poet"/)
    await text('settle')
    const failed = await text('read_job')
    expect(failed).toMatch(/^status: failed$/m)
    expect(failed).toMatch(/^error_message: .*out of memory/m)
    expect(await text('list_job_events')).toMatch(/ training_failed/)

    const next = await text('choose_scenario', { name: 'happy-path' })
    expect(next).toContain('The scenario "happy-path" counts from now on')
    await text('create_job', { model: 'poet' })
    await text('settle')
    expect(await text('read_job')).toMatch(/^status: ended$/m)
    expect(await text('list_jobs')).toMatch(/ended\n.* failed: .*out of memory/)
    expect(await text('list_pending')).toBe('Nothing is pending.')

    const trace = await text('read_trace')
    expect(trace).toContain('seed 7')
    expect(trace).toMatch(/out of memory[^]*control: scenario happy-path[^]* ended$/)
  })

  it('lists the tools and the pages of the documentation', async () => {
    const { client } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_status', 'settle']))
    const { resources } = await client.listResources()
    const testing = resources.find(({ name }) => name === 'how-to/testing')!
    expect(testing.uri).toBe('svtrain-docs:///how-to/testing')
    const { contents } = await client.readResource({ uri: testing.uri })
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('# ') })
    // Its address in earlier versions.
    const old = await client.readResource({ uri: 'svtrain-docs:///testing' })
    expect(old.contents[0]).toMatchObject({ text: (contents[0] as { text: string }).text })
  })
})
