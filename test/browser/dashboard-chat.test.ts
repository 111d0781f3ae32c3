import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { describeDashboard } from './browser-of-suite.js'
import { holdCalls } from './open-dashboard.js'

const run = promisify(execFile)

const BASE_MODEL = 'example/base-8b-instruct'

describeDashboard('the chat', (open) => {
  it('streams an answer of a base model, and links to the request', async () => {
    const { page, emulator, go, asked } = await open()
    await go('chat')
    await expect.poll(() => page.getByLabel('Model', { exact: true }).inputValue()).toBe(BASE_MODEL)
    await page.getByRole('button', { name: 'Add system message' }).click()
    await page.getByLabel('Message 1', { exact: true }).fill('You are a poet.')
    await page.getByLabel('Message 2', { exact: true }).fill('Hello')
    await page.getByLabel('temperature').fill('0.5')
    expect(await page.getByLabel('max_tokens').getAttribute('placeholder')).toBe('no limit')
    await page.getByLabel('max_tokens').fill('30')
    await page.getByLabel('Message 2', { exact: true }).press('Control+Enter')
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('200').waitFor()
    await answer.getByText(/finish_reason (stop|length)/).waitFor()
    await answer.getByText('"prompt_tokens"').waitFor()
    const link = answer.getByRole('link', { name: /^Request \d+$/ })
    const { body } = await sentIn(emulator)
    expect(body).toEqual({
      model: BASE_MODEL,
      messages: [
        { role: 'system', content: 'You are a poet.' },
        { role: 'user', content: 'Hello' },
      ],
      temperature: 0.5,
      max_tokens: 30,
      stream: true,
      stream_options: { include_usage: true },
    })
    await link.click()
    await page.getByRole('heading', { name: 'Request' }).waitFor()
    const origin = new URL(emulator.trainingUrl).origin
    expect(asked.filter((url) => !url.startsWith(origin))).toEqual([])
  })

  it('can be sent when the first model is known', async () => {
    const { page, go } = await open()
    const answer = await holdCalls(page, 'models*')
    await go('chat')
    const model = page.getByLabel('Model', { exact: true })
    const send = page.getByRole('button', { name: 'Send' })
    await page.getByLabel('Message 1', { exact: true }).fill('Hello')
    await expect.poll(() => send.isDisabled()).toBe(true)
    // A name that you enter yourself is enough.
    await model.fill(BASE_MODEL)
    await expect.poll(() => send.isEnabled()).toBe(true)
    await go('chat')
    await expect.poll(() => send.isDisabled()).toBe(true)
    answer()
    await send.click()
    await page.getByRole('region', { name: 'Answer' }).getByText('200', { exact: true }).waitFor()
    expect(await model.inputValue()).toBe(BASE_MODEL)
  })

  it('shows several choices, log probabilities and tool calls without a stream', async () => {
    const { page, go } = await open({
      scenario: {
        name: 'tools',
        extends: 'happy-path',
        chat: {
          rules: [
            {
              match: { user: 'weather' },
              answer: { tool_calls: [{ name: 'weather', arguments: { city: 'Bern' } }] },
            },
          ],
        },
      },
    })
    await go('chat')
    await page.getByLabel('Message 1', { exact: true }).fill('Hello')
    await page.getByLabel('stream').uncheck()
    await page.getByLabel('logprobs', { exact: true }).check()
    await page.getByLabel('n', { exact: true }).fill('2')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('choice 1').waitFor()
    await expect.poll(() => answer.getByText(/^Log probabilities of \d+ tokens$/).count()).toBe(2)
    await page.getByLabel('n', { exact: true }).fill('')
    await page.getByLabel('Message 1', { exact: true }).fill('What is the weather?')
    await page.getByText('Tools and more parameters').click()
    await page
      .getByLabel('tools, as JSON')
      .fill('[{"type": "function", "function": {"name": "weather"}}]')
    for (const stream of [false, true]) {
      await page.getByLabel('stream').setChecked(stream)
      await page.getByRole('button', { name: 'Send' }).click()
      await answer.getByText('finish_reason tool_calls').waitFor()
      await answer.getByText(/weather\(\{"city": ?"Bern"\}\)/).waitFor()
    }
  })

  it('answers for a checkpoint, and continues the conversation', async () => {
    const { page, emulator, go } = await open()
    await emulator.models.create({ name: 'poet' })
    await go('chat?model=local-team/demo/poet:step0')
    await page.getByLabel('Message 1', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Continue the conversation' }).click()
    await page.getByLabel('Message 3', { exact: true }).fill('Go on')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Continue the conversation' }).waitFor()
    const { body } = await sentIn(emulator)
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(body.model).toBe('local-team/demo/poet:step0')
  })

  it('says why a request was refused', async () => {
    const { page, go } = await open({ errors: /404/ })
    await go('chat?model=nothing')
    await page.getByLabel('Message 1', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('404', { exact: true }).waitFor()
    await answer.getByRole('alert').filter({ hasText: 'nothing' }).waitFor()
    await answer.getByRole('link', { name: /^Request/ }).waitFor()
    await page.getByLabel('temperature').fill('hot')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('"hot" is not a number.').waitFor()
    await page.getByLabel('temperature').fill('')
    await page.getByLabel('Model', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Enter the name of a model.').waitFor()
    await expect
      .poll(() => page.getByLabel('Message 1', { exact: true }).inputValue())
      .toBe('Hello')
  })

  it('asks for a key that the emulator accepts', async () => {
    const { page, go } = await open({ apiKeys: ['my-own-key'], errors: /401/ })
    await go('chat')
    await page.getByLabel('Message 1', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('401', { exact: true }).waitFor()
    await page.getByLabel('API key').fill('my-own-key')
    await page.getByRole('button', { name: 'Send' }).click()
    await answer.getByText('200', { exact: true }).waitFor()
    // The code has a placeholder for it.
    expect(await page.getByRole('region', { name: 'As code' }).textContent()).not.toContain(
      'my-own-key',
    )
  })

  it('stops a request that waits, and says when the connection is lost', async () => {
    const { page, emulator, go } = await open({ errors: /ERR_/ })
    const fault = emulator.faults.add({ fault: 'delay', delay: '1h' })
    await go('chat')
    await page.getByLabel('Message 1', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('advance the clock').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the request.').waitFor()
    fault.remove()
    emulator.faults.add({ fault: 'drop' })
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('The connection was lost').waitFor()
    // The page looks for its request in the journal before it lets you send again.
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
    await page
      .getByRole('region', { name: 'Answer' })
      .getByRole('link', { name: /^Request/ })
      .click()
  })

  it('ends a request that waits when you leave the page', async () => {
    const { page, emulator, go } = await open()
    emulator.faults.add({ fault: 'delay', delay: '1h' })
    await go('chat')
    await page.getByLabel('Message 1', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('advance the clock').waitFor()
    const [ended] = await Promise.all([
      page.waitForEvent('requestfailed'),
      page.getByRole('link', { name: 'Models', exact: true }).click(),
    ])
    expect(ended.url()).toContain('/chat/completions')
  })

  it('is code that runs', async () => {
    const { page, emulator, go } = await open()
    await go('chat')
    await page.getByLabel('Message 1', { exact: true }).fill("It's me")
    await page.getByRole('button', { name: 'Send' }).click()
    const code = page.getByRole('region', { name: 'As code' })
    await code.getByText(emulator.inferenceUrl).first().waitFor()
    await code.getByRole('button', { name: 'TypeScript' }).click()
    await expect.poll(() => code.locator('pre').textContent()).toContain('await fetch(')
    const text = (await code.locator('pre').textContent())!
    const file = join(temporaryFolder(), 'chat.mjs')
    writeFileSync(file, text)
    const { stdout } = await run(process.execPath, [file])
    expect(stdout).toContain('[DONE]')
    await code.getByRole('button', { name: 'curl' }).click()
    await expect.poll(() => code.locator('pre').textContent()).toContain(String.raw`It'\''s me`)
  })
})

interface SentChat {
  model: string
  messages: { role: string; content: string }[]
}

/** The latest chat, as the emulator received it. */
async function sentIn(emulator: {
  trainingUrl: string
  fetch: typeof fetch
}): Promise<{ body: SentChat }> {
  const url = new URL('/_emulator/requests?operation=createChatCompletion', emulator.trainingUrl)
  const { requests } = (await (await emulator.fetch(url)).json()) as { requests: { id: number }[] }
  const detail = new URL(`/_emulator/requests/${requests.at(-1)!.id}`, url)
  const { request } = (await (await emulator.fetch(detail)).json()) as { request: { body: string } }
  return { body: JSON.parse(request.body) as SentChat }
}
